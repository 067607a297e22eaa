// SPDX-License-Identifier: MIT
//! Exporters: exact small outputs, nesting, and text that tries to break out of its field.

use boottrace::export::lanes::{assign, Edge};
use boottrace::export::{bootgraph_svg, chrome, csv, folded, perfetto, speedscope};
use boottrace::timeline::tracks::{Counter, Instant, Span, Timeline, Track};
use boottrace::timeline::tree::Tree;

fn sample() -> Timeline {
    let mut outer = Span::new("outer", "initcall", 1_000, 9_000);
    outer.args.push(("returned".into(), "-19".into()));
    let open = Span {
        name: "hangs".into(),
        start_ns: 9_500,
        ..Span::default()
    };
    Timeline {
        title: "demo".into(),
        clock: "printk".into(),
        args: vec![],
        tracks: vec![Track {
            name: "swapper/0-1".into(),
            spans: vec![
                outer,
                Span::new("inner", "", 2_000, 3_500),
                Span::new("beside", "", 8_000, 9_100),
                open,
            ],
            instants: vec![Instant {
                name: "Run /init".into(),
                at_ns: 10_000,
                ..Instant::default()
            }],
            counters: vec![Counter {
                name: "cpu".into(),
                unit: "%".into(),
                points: vec![(0, 0.5), (10, 99.0)],
            }],
        }],
    }
}

const HOSTILE: &str = "</script><b>\"'&;,\n\r\t\u{0}\u{1b}[31m\u{202e}\u{fffd}=1+1";

fn hostile() -> Timeline {
    let name = HOSTILE.to_owned();
    let args = vec![(name.clone(), name.clone())];
    Timeline {
        title: name.clone(),
        clock: name.clone(),
        args: args.clone(),
        tracks: vec![Track {
            name: name.clone(),
            spans: vec![Span {
                name: name.clone(),
                category: name.clone(),
                start_ns: -5,
                end_ns: Some(7),
                args: args.clone(),
            }],
            instants: vec![Instant {
                name: name.clone(),
                category: name.clone(),
                at_ns: i64::MIN,
                args,
            }],
            counters: vec![Counter {
                name: name.clone(),
                unit: name,
                points: vec![(i64::MAX, f64::NAN)],
            }],
        }],
    }
}

fn text(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).expect("a vector takes everything");
    String::from_utf8(out).expect("text formats are UTF-8")
}

#[test]
fn overlapping_spans_take_a_second_lane_and_equal_times_nest() {
    let spans = [
        Span::new("a", "", 0, 10),
        Span::new("b", "", 5, 15),
        Span::new("c", "", 0, 10),
        Span::new("d", "", 10, 10),
    ];
    let lanes = assign(&spans);
    assert_eq!(lanes.overflow, Vec::<usize>::new());
    assert_eq!(
        lanes.lanes[0],
        [
            Edge::Begin(0),
            Edge::Begin(2),
            Edge::Begin(3),
            Edge::End(3),
            Edge::End(2),
            Edge::End(0)
        ]
    );
    assert_eq!(lanes.lanes[1], [Edge::Begin(1), Edge::End(1)]);
}

#[test]
fn parallel_spans_beyond_the_limit_are_kept_apart_and_not_lost() {
    let spans: Vec<Span> = (0..400).map(|i| Span::new("s", "", i, 1000 + i)).collect();
    let lanes = assign(&spans);
    assert_eq!(lanes.lanes.len(), boottrace::export::lanes::MAX_LANES);
    assert_eq!(lanes.overflow.len(), 400 - boottrace::export::lanes::MAX_LANES);
}

#[test]
fn chrome_nests_and_writes_overlaps_as_async_pairs() {
    let json: serde_json::Value = serde_json::from_str(&text(|o| chrome::write(&sample(), o))).expect("valid JSON");
    let events = json["traceEvents"].as_array().expect("events");
    let find = |name: &str| -> Vec<&serde_json::Value> { events.iter().filter(|e| e["name"] == name).collect() };
    assert_eq!(find("outer")[0]["ph"], "X");
    assert_eq!(find("outer")[0]["ts"], 1.0);
    assert_eq!(find("outer")[0]["dur"], 8.0);
    assert_eq!(find("outer")[0]["args"]["returned"], "-19");
    assert_eq!(find("inner")[0]["ph"], "X");
    let pair: Vec<&str> = find("beside")
        .iter()
        .map(|e| e["ph"].as_str().expect("phase"))
        .collect();
    assert_eq!(pair, ["b", "e"]);
    assert_eq!(find("hangs")[0]["ph"], "B");
    assert_eq!(find("swapper/0-1: cpu")[1]["args"]["%"], 99);
    assert_eq!(json["otherData"]["clock"], "printk");
}

#[test]
fn speedscope_closes_what_it_opens() {
    let json: serde_json::Value = serde_json::from_str(&text(|o| speedscope::write(&sample(), o))).expect("valid JSON");
    let frames = json["shared"]["frames"].as_array().expect("frames").len();
    assert_eq!(frames, 4);
    for profile in json["profiles"].as_array().expect("profiles") {
        let mut open = Vec::new();
        let mut last = profile["startValue"].as_i64().expect("start");
        for event in profile["events"].as_array().expect("events") {
            let at = event["at"].as_i64().expect("at");
            assert!(at >= last, "times of a profile never go back");
            last = at;
            let frame = event["frame"].as_u64().expect("frame");
            if event["type"] == "O" {
                open.push(frame);
            } else {
                assert_eq!(open.pop(), Some(frame));
            }
        }
        assert!(open.is_empty());
    }
}

#[test]
fn folded_gives_self_time() {
    let stacks = text(|o| folded::write(&sample(), o));
    assert_eq!(
        stacks,
        "swapper/0-1;outer 6500\nswapper/0-1;outer;inner 1500\nswapper/0-1;hangs 500\nswapper/0-1;beside 1100\n"
    );
}

#[test]
fn trees_fold_and_sample() {
    let mut tree = Tree::new("t", "virtual");
    let a = tree.push(0, "a", 5, 1);
    let b = tree.push(a, "b;c", 7, 2);
    tree.push(b, "zero", 0, 1);
    assert_eq!(tree.totals_ns(), [12, 12, 7, 0]);
    assert_eq!(text(|o| folded::write_tree(&tree, o)), "a 5\na;b:c 7\n");
    let json: serde_json::Value = serde_json::from_str(&text(|o| speedscope::write_tree(&tree, o))).expect("valid");
    assert_eq!(json["profiles"][0]["weights"], serde_json::json!([5, 7]));
    assert_eq!(json["profiles"][0]["samples"], serde_json::json!([[0], [0, 1]]));
}

#[test]
fn csv_is_exact() {
    let table = text(|o| csv::write(&sample(), o));
    let rows: Vec<&str> = table.split("\r\n").collect();
    assert_eq!(rows[0], csv::HEADER);
    assert_eq!(
        rows[1],
        "printk,swapper/0-1,span,outer,initcall,1000,9000,8000,,,returned=-19"
    );
    assert_eq!(rows[4], "printk,swapper/0-1,span,hangs,,9500,,,,,");
    assert_eq!(rows[5], "printk,swapper/0-1,instant,Run /init,,10000,,,,,");
    assert_eq!(rows[6], "printk,swapper/0-1,counter,cpu,,0,,,0.5,%,");
    let columns = csv::HEADER.split(',').count();
    assert!(rows
        .iter()
        .take(8)
        .filter(|r| !r.is_empty())
        .all(|r| r.split(',').count() == columns));
}

#[test]
fn svg_draws_every_instance_and_says_what_it_leaves_out() {
    let svg = text(|o| bootgraph_svg::write(&sample(), &bootgraph_svg::Options::default(), o));
    assert_eq!(svg.matches("<rect").count(), 1 + 4);
    assert!(svg.contains("hangs: never ended"));
    let options = bootgraph_svg::Options {
        max_spans: 2,
        ..bootgraph_svg::Options::default()
    };
    let svg = text(|o| bootgraph_svg::write(&sample(), &options, o));
    assert_eq!(svg.matches("<rect").count(), 1 + 2);
    assert!(svg.contains("2 spans are not drawn"));
}

#[test]
fn hostile_text_stays_in_its_field() {
    let timeline = hostile();
    for json in [
        text(|o| chrome::write(&timeline, o)),
        text(|o| speedscope::write(&timeline, o)),
    ] {
        serde_json::from_str::<serde_json::Value>(&json).expect("still valid JSON");
        assert!(!json.contains("</script"));
    }
    let svg = text(|o| bootgraph_svg::write(&timeline, &bootgraph_svg::Options::default(), o));
    assert!(!svg.contains("</script") && !svg.contains("<b>") && !svg.contains('\u{1b}') && !svg.contains('\u{0}'));
    let table = text(|o| csv::write(&timeline, o));
    assert_eq!(table.matches('\n').count(), 4, "a line end in a name starts no row");
    let stacks = text(|o| folded::write(&timeline, o));
    assert_eq!(stacks.lines().count(), 1);
    assert_eq!(stacks.matches(';').count(), 1, "only the separator of the format");
}

#[test]
fn spreadsheet_formulas_are_disarmed() {
    let mut timeline = sample();
    timeline.tracks[0].spans[0].name = "=HYPERLINK(1)".into();
    assert!(text(|o| csv::write(&timeline, o)).contains(",'=HYPERLINK(1),"));
}

/// Walks a protobuf message: (field number, wire type, payload or value bytes).
fn fields(mut bytes: &[u8]) -> Vec<(u64, u64, &[u8], u64)> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = bytes[0];
            *bytes = &bytes[1..];
            value |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                return value;
            }
        }
    }
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        match key & 7 {
            0 => found.push((key >> 3, 0, &[][..], varint(&mut bytes))),
            1 => {
                found.push((key >> 3, 1, &bytes[..8], 0));
                bytes = &bytes[8..];
            }
            2 => {
                let length = varint(&mut bytes) as usize;
                found.push((key >> 3, 2, &bytes[..length], 0));
                bytes = &bytes[length..];
            }
            wire => panic!("wire type {wire}"),
        }
    }
    found
}

#[test]
fn perfetto_packets_nest_on_each_track() {
    for timeline in [sample(), hostile()] {
        let mut out = Vec::new();
        perfetto::write(&timeline, &mut out).expect("a vector takes everything");
        let mut depth = std::collections::HashMap::<u64, i64>::new();
        let (mut slices, mut tracks) = (0, 0);
        for (field, wire, packet, _) in fields(&out) {
            assert_eq!((field, wire), (1, 2));
            for (field, _, body, _) in fields(packet) {
                match field {
                    60 => {
                        tracks += 1;
                        for (field, _, name, _) in fields(body) {
                            if field == 2 {
                                let name = std::str::from_utf8(name).expect("UTF-8");
                                assert!(!name.chars().any(char::is_control));
                            }
                        }
                    }
                    11 => {
                        let event = fields(body);
                        let value = |n: u64| event.iter().find(|f| f.0 == n).map(|f| f.3);
                        let level = depth.entry(value(11).expect("track")).or_default();
                        match value(9) {
                            Some(1) => {
                                slices += 1;
                                *level += 1;
                            }
                            Some(2) => *level -= 1,
                            _ => {}
                        }
                        assert!(*level >= 0);
                    }
                    _ => {}
                }
            }
        }
        let spans = timeline.tracks[0].spans.len();
        assert_eq!(slices, spans);
        assert_eq!(tracks, if spans == 1 { 3 } else { 4 });
    }
}
