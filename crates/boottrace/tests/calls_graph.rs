// SPDX-License-Identifier: MIT
//! function_graph text: self time, recursion, context switches, interrupts and losses.

use boottrace::readers::calls::function_graph::{detect, parse, Trace};
use boottrace::readers::calls::stacks::SpanLimits;
use boottrace::readers::calls::tables::{call_paths, functions, indented, kd_text, FunctionRow, SortBy};

fn read(text: &str) -> Trace {
    parse(text.as_bytes(), None).expect("a slice cannot fail")
}

fn row(trace: &Trace, name: &str) -> FunctionRow {
    let rows = functions(&trace.calls, SortBy::Time);
    rows.into_iter()
        .find(|row| row.function == name)
        .unwrap_or_else(|| panic!("no {name}"))
}

const NESTED: &str = "\
# tracer: function_graph
#
#     TIME        CPU  TASK/PID         DURATION                  FUNCTION CALLS
#      |          |     |    |           |   |                     |   |   |   |
    1.000000 |   0)  swapper-1   |               |  probe_hwif() {
    1.000001 |   0)  swapper-1   |               |    do_probe() {
    1.000002 |   0)  swapper-1   | # 5000.000 us |      ide_delay_50ms();
    1.005003 |   0)  swapper-1   | # 5000.000 us |      ide_delay_50ms();
    1.010004 |   0)  swapper-1   | * 10003.000 us |    } /* do_probe */
    1.010005 |   0)  swapper-1   |   4.500 us    |    outb [ide]();
    1.010010 |   0)  swapper-1   | * 10010.000 us |  }
";

#[test]
fn self_time_biggest_callee_and_paths() {
    assert_eq!(detect(NESTED.as_bytes()), Some(1.0));
    assert_eq!(
        detect(NESTED.split_once('|').expect("a column").1.as_bytes()),
        Some(0.9)
    );
    let trace = read(NESTED);
    let probe = row(&trace, "probe_hwif");
    assert_eq!(
        (probe.count, probe.elapsed_ns, probe.self_ns),
        (1, 10_010_000, 10_010_000 - 10_003_000 - 4_500)
    );
    assert_eq!(
        (probe.max_sub.as_str(), probe.max_sub_count, probe.max_sub_ns),
        ("do_probe", 1, 10_003_000)
    );
    let delay = row(&trace, "ide_delay_50ms");
    assert_eq!(
        (delay.count, delay.self_ns, delay.max_ns, delay.average_ns()),
        (2, 10_000_000, 5_000_000, 5_000_000)
    );
    assert_eq!(
        call_paths(&trace.calls, 5),
        ["probe_hwif(1)-> do_probe(1)-> ide_delay_50ms(2)->"]
    );
    assert!(indented(&trace.calls, 0, 0, 100)
        .contains("\n    do_probe(1)-> 10003 us\n      ide_delay_50ms(2)-> 10000 us\n"));
    let table = kd_text(&functions(&trace.calls, SortBy::SelfTime), 1);
    let words: Vec<&str> = table.lines().nth(2).expect("a row").split_whitespace().collect();
    assert_eq!(words, ["ide_delay_50ms", "2", "10000", "5000", "10000", "0"]);
    assert_eq!(trace.calls.bounds_ns, Some((1_000_000_000, 1_010_010_000)));
    assert_eq!(trace.skipped.total(), 0);
}

#[test]
fn every_option_set_gives_the_same_numbers() {
    let no_time: String = NESTED
        .lines()
        .map(|line| line.split_once("|  ").map_or(line, |l| l.1).to_owned() + "\n")
        .collect();
    let no_proc = no_time.replace(" swapper-1   |", "");
    let no_cpu = no_proc.replace(" 0) ", "");
    let crlf = NESTED.replace('\n', "\r\n");
    let no_tail = NESTED.replace(" /* do_probe */", "");
    let no_mark = NESTED.replace(['#', '*'], " ").replacen("   tracer", "# tracer", 1);
    let no_duration: String = NESTED
        .lines()
        .map(|line| {
            line.replace("|               |", "|")
                .replace("| # 5000.000 us |", "|")
                .replace("| * 10003.000 us |", "|")
        })
        .map(|line| {
            line.replace("| * 10010.000 us |", "|")
                .replace("|   4.500 us    |", "|")
                + "\n"
        })
        .collect();
    let latency = NESTED.replace("swapper-1   |", "swapper-1   |  d..1. |");
    for text in [&no_time, &no_proc, &no_cpu, &crlf, &no_tail, &no_mark, &latency] {
        let trace = read(text);
        assert_eq!(row(&trace, "probe_hwif").self_ns, 2_500, "{text}");
        assert_eq!(row(&trace, "do_probe").self_ns, 3_000, "{text}");
        assert_eq!(row(&trace, "outb [ide]").self_ns, 4_500, "{text}");
    }
    // Without durations the stamps give those of the nested calls.
    let trace = read(&no_duration);
    assert_eq!(row(&trace, "probe_hwif").elapsed_ns, 10_010_000, "{no_duration}");
    assert_eq!(row(&trace, "do_probe").elapsed_ns, 10_003_000, "{no_duration}");
}

#[test]
fn recursion_counts_the_outermost_call_only() {
    let trace = read(
        " 0)               |  walk() {\n 0)               |    walk() {\n 0)   1.000 us    |      leaf();\n \
         0)   3.000 us    |    }\n 0)   5.000 us    |  }\n",
    );
    let walk = row(&trace, "walk");
    assert_eq!((walk.count, walk.elapsed_ns, walk.self_ns), (2, 5_000, 4_000));
    assert_eq!((walk.max_sub.as_str(), walk.max_sub_ns), ("walk", 3_000));
}

#[test]
fn schedule_is_not_charged_with_others_work() {
    let trace = read(
        "  1.000000 |   0)  init-1   |               |  wait_for_it() {\n\
           1.000010 |   0)  init-1   |               |    schedule() {\n\
           1.000020 |   0)  work-30  |               |  worker() {\n\
           1.000920 |   0)  work-30  | ! 900.000 us  |  }\n\
           1.001020 |   0)  init-1   | # 1010.000 us |    }\n\
           1.001030 |   0)  init-1   | # 1030.000 us |  }\n",
    );
    let schedule = row(&trace, "schedule");
    assert_eq!(
        (schedule.elapsed_ns, schedule.off_cpu_ns, schedule.self_ns),
        (1_010_000, 1_000_000, 10_000)
    );
    let wait = row(&trace, "wait_for_it");
    assert_eq!((wait.time_ns(), wait.self_ns), (30_000, 20_000));
    assert_eq!(row(&trace, "worker").self_ns, 900_000);
}

#[test]
fn switches_without_stamps_and_task_names() {
    let text = " 0)               |  schedule() {\n ------------------------------------------\n \
                0)  init-1  =>  work-30\n ------------------------------------------\n\n \
                0) ! 900.000 us  |  worker();\n ------------------------------------------\n \
                0)  work-30  =>  init-1\n ------------------------------------------\n\n \
                0) # 1000.000 us |  }\n";
    let trace = read(text);
    assert_eq!(trace.switches, 2);
    let schedule = row(&trace, "schedule");
    assert_eq!((schedule.self_ns, schedule.off_cpu_ns), (0, 1_000_000));
    let labels: Vec<&str> = trace.calls.tasks.iter().map(|task| task.label.as_str()).collect();
    assert_eq!(labels, ["init-1", "work-30"]);
    assert_eq!(trace.skipped.total(), 0, "{:?}", trace.skipped);
}

#[test]
fn interrupts_stand_apart_but_are_not_the_interrupted_ones_own_time() {
    let trace = read(
        " 1)               |  busy() {\n 1)   ==========> |\n 1)               |    do_irq() {\n \
         1)   2.000 us    |      handler();\n 1)   3.000 us    |    }\n 1)   <========== |\n \
         1)   1.000 us    |    inner();\n 1) + 14.000 us   |  }\n",
    );
    assert_eq!(row(&trace, "busy").self_ns, 10_000);
    assert_eq!(row(&trace, "busy").max_sub, "inner");
    assert_eq!(row(&trace, "do_irq").self_ns, 1_000);
    let tree = trace.calls.tree.export(&trace.calls.names, "t", "trace");
    let mut folded = Vec::new();
    boottrace::export::folded::write_tree(&tree, &mut folded).expect("a vector");
    let folded = String::from_utf8(folded).expect("text");
    assert!(
        folded.contains("[interrupts];do_irq;handler 2000\n") && folded.contains("busy;inner 1000\n"),
        "{folded}"
    );
}

#[test]
fn lost_events_and_cut_starts_are_counted_and_healed_by_the_indentation() {
    let trace = read(
        " 0)   9.000 us    |    } /* before_the_trace */\n 0)               |  a() {\n 0)               |    b() {\n\
         CPU:0 [LOST 123 EVENTS]\n 0)   5.000 us    |  }\n 0)               |  c() {\nrubbish\n",
    );
    let m = trace.calls.mismatches;
    assert_eq!(
        (
            m.exits_without_entry,
            m.entries_without_exit,
            m.still_open,
            m.lost_events
        ),
        (1, 1, 1, 123)
    );
    assert_eq!(row(&trace, "a").elapsed_ns, 5_000);
    assert_eq!((row(&trace, "b").open, row(&trace, "c").open), (1, 1));
    assert_eq!(trace.skipped.reasons["no call, return or event"], 1);
}

#[test]
fn mangled_indentation_still_nests() {
    let flat: String = NESTED
        .lines()
        .map(|line| line.replace("|    ", "| ").replace("|      ", "| ") + "\n")
        .collect();
    let flat = flat.replace("|  ", "| ").replace("|   ", "| ").replace("|    ", "| ");
    let trace = read(&flat);
    assert_eq!(row(&trace, "probe_hwif").self_ns, 2_500, "{flat}");
}

#[test]
fn spans_are_bounded_and_become_a_timeline() {
    let trace = parse(
        NESTED.as_bytes(),
        Some(SpanLimits {
            min_ns: 5_000,
            max_count: 3,
        }),
    )
    .expect("readable");
    let timeline = trace.calls.timeline("t", "trace");
    let names: Vec<&str> = timeline.tracks[0].spans.iter().map(|span| span.name.as_str()).collect();
    assert_eq!(names, ["ide_delay_50ms", "ide_delay_50ms", "do_probe"]);
    assert_eq!(trace.calls.mismatches.spans_beyond_limit, 1);
    assert_eq!(timeline.tracks[0].name, "swapper-1");
}

#[test]
fn endless_lines_and_endless_depth_stay_bounded() {
    let mut text = vec![b'x'; 1 << 20];
    text.extend(b"\n 0)   1.000 us    |  f();\n");
    let trace = parse(&text[..], None).expect("readable");
    assert_eq!(trace.read.cut_lines, 1);
    assert_eq!(row(&trace, "f").count, 1);
    let rows: Vec<String> = (0..6000)
        .map(|depth| format!(" 0)               |  {}f() {{\n", "  ".repeat(depth % 50)))
        .collect();
    let deep = rows.concat();
    let flat = deep.replace("  f", "f").replace("    ", " ");
    for text in [deep, flat] {
        let trace = read(&text);
        let calls = row(&trace, "f");
        assert_eq!(calls.count, 6000);
    }
}

/// Found by fuzzing: the outermost of recursive calls alone gave the time from entry to exit, ended or not.
#[test]
fn a_recursion_that_never_ends_outside_keeps_the_time_inside() {
    let trace = read(" 0)               |  f() {\n 0)               |    f() {\n 0)  7.000 us     |      f();\n 0)  9.000 us     |    }\n");
    let f = row(&trace, "f");
    assert_eq!((f.count, f.open, f.self_ns, f.elapsed_ns), (3, 1, 9_000, 9_000));
}

#[test]
fn times_beyond_all_bounds_saturate() {
    let long = "18446744073709551615.999 us";
    let lines = ["a-1 => b-2", "| f() {", "b-2 => a-1", &format!("{long} | }}")].map(|line| format!(" 0)  {line}\n"));
    let text = lines.concat().repeat(4);
    let trace = read(&text);
    for row in functions(&trace.calls, SortBy::Time) {
        assert!(row.off_cpu_ns <= row.elapsed_ns);
    }
}

#[test]
fn a_duration_beyond_all_bounds_is_a_duration() {
    let trace = read(" 0) 22222222266222000 us |  ide_delay();\n");
    let delay = row(&trace, "ide_delay");
    assert_eq!((delay.self_ns, delay.elapsed_ns), (i64::MAX as u64, i64::MAX as u64));
}
