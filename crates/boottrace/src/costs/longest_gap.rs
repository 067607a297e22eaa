// SPDX-License-Identifier: MIT
//! The longest time between two stamped lines of a piece that no reader knows: where nothing else is found, at least that
//! can be said, with the lines' own words.

use super::cost::Cost;
use super::sayings::saying;
use crate::facts::boot::clock_set::clock_set;
use crate::log::any_stamp;
use crate::log::any_stamp::{said, Form};
use crate::log::breaks::{filtering_command, leaves_out, loses};
use crate::log::line::{Line, LineKind};
use crate::text::shorten::shorten;

/// Nobody pastes more to ask about one boot; a longer log is a program's.
const MOST: usize = 300;
/// Lines without a stamp that may stand between two with one.
const BETWEEN: u32 = 30;
/// Who is silent for longer is not starting.
const LONGEST_NS: i64 = 1_200_000_000_000;
/// Shorter ones are not told: of a clock that counts parts of a second, and of one that does not.
const SHORTEST_NS: i64 = 500_000_000;
const SHORTEST_WHOLE_NS: i64 = 5_000_000_000;
/// Lines of two sources may be out of order by less.
const BACK_NS: i64 = 1_000_000_000;

/// The clock of a stamp: the reader's own, or the form of what stands in front of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    Host,
    Kernel,
    Firmware,
    Form(Form),
}

/// What stands between a stamped line and the one before it.
#[derive(Debug, Clone, Copy, Default)]
struct Since {
    /// Somebody left lines out.
    cut: bool,
    /// Lines without a stamp.
    bare: bool,
    /// A file is loaded over the network.
    loads: bool,
}

/// Lines of one clock that follow each other.
#[derive(Default)]
struct Piece<'a> {
    stamped: Vec<(&'a Line, i64, Since)>,
    of: Option<Of>,
    /// Lines since the last stamp.
    bare: u32,
    /// What came since the last stamp.
    since: Since,
    /// The clock goes back, or jumps.
    broken: bool,
    /// A command chose its lines.
    chosen: bool,
}

/// The longest time between two lines: from, to, length, and what stands between them.
type Longest<'a> = Option<(&'a Line, &'a Line, i64, Since)>;

/// Is it the log of a program that installs a system? It asks, and waits for a person's answers.
fn is_of_an_installer(lines: &[Line]) -> bool {
    const NAMES: [&str; 5] = ["subiquity", "ubiquity", "curtin", "anaconda", "calamares"];
    let names = |line: &&Line| {
        let lower = line.text.to_ascii_lowercase();
        NAMES.iter().any(|name| lower.contains(name))
    };
    let spoken = || lines.iter().filter(|line| line.kind != LineKind::Blank);
    spoken().filter(names).count() > spoken().count() / 3
}

/// The longest silence of the pieces that the lines make up.
pub(crate) fn of_lines(lines: &[Line]) -> Option<Cost> {
    if lines.len() > 10 * MOST || is_of_an_installer(lines) {
        return None;
    }
    let mut best: Longest = None;
    let mut piece = Piece::default();
    let set = clock_set(lines);
    for line in lines {
        // What a clock that is set jumps over has not passed.
        if set.binary_search(&line.number).is_ok() {
            piece.close(&mut best);
        }
        let text = line.text.trim_start();
        // A line between single marks is a page's quotation.
        let quoted = text.starts_with('`') && !text.starts_with("``") && any_stamp::of(text).is_some();
        let mark = !quoted && text.starts_with(['`', '~', '{', '}', '<'])
            || text.starts_with("[code")
            || text.starts_with("[/code");
        let ends = match line.kind {
            LineKind::Prose | LineKind::Typed | LineKind::Garbage => true,
            LineKind::Blank => mark,
            _ => leaves_out(line) && mark,
        };
        if loses(&line.text) {
            piece.close(&mut best);
        }
        if !ends && leaves_out(line) {
            piece.since.cut = true;
            continue;
        }
        if ends {
            // A page's mark may stand between a command and what it prints.
            let kept = piece.chosen && piece.stamped.is_empty() && line.kind == LineKind::Blank;
            piece.close(&mut best);
            piece.chosen = kept || filtering_command(&line.text).is_some();
            continue;
        }
        if filtering_command(&line.text).is_some() {
            piece.close(&mut best);
            piece.chosen = true;
        } else {
            piece.take(line, &mut best);
        }
    }
    piece.close(&mut best);
    best.map(|(from, to, ns, since)| cost(from, to, ns, since))
}

fn stamp(line: &Line) -> Option<(Of, i64)> {
    let own = line.firmware_ns.map(|ns| (Of::Firmware, ns));
    own.or_else(|| line.printk_ns.map(|ns| (Of::Kernel, ns)))
        .or_else(|| line.host_ns.map(|ns| (Of::Host, ns)))
        .or_else(|| {
            let (form, ns) = any_stamp::of(&line.text)?;
            // `[15:04:39] <frob> it hangs`: a line of a talk.
            let talks = said(line.text.trim()).starts_with('<');
            (!talks && !form.is_bare()).then_some((Of::Form(form), ns))
        })
}

impl<'a> Piece<'a> {
    fn take(&mut self, line: &'a Line, best: &mut Longest<'a>) {
        let Some((of, ns)) = stamp(line) else {
            self.bare += u32::from(line.kind != LineKind::Blank);
            self.since.bare |= line.kind != LineKind::Blank;
            self.since.loads |= line.text.trim_start().starts_with("Loading: ");
            if self.bare > BETWEEN {
                self.close(best);
            }
            return;
        };
        if self.of.is_some_and(|known| known != of) {
            self.bare += 1;
            self.since.bare = true;
            return;
        }
        let since = self.stamped.last().map(|(_, last, _)| ns.saturating_sub(*last));
        // Behind what is left out, another log may begin.
        if self.since.cut && since.is_some_and(|since| since <= -BACK_NS) {
            self.close(best);
            return self.take(line, best);
        }
        self.broken |= since.is_some_and(|since| since <= -BACK_NS || since > LONGEST_NS);
        self.of = Some(of);
        self.bare = 0;
        self.stamped.push((line, ns, std::mem::take(&mut self.since)));
    }

    /// Does each of some kernel's lines name a device that the one before it names? Somebody chose them, and others spoke
    /// meanwhile.
    fn is_of_one_device(&self) -> bool {
        const LINES: usize = 4;
        let linked = |two: &[(&Line, i64, Since)]| {
            let known: Vec<&str> = devices(&two[0].0.text).collect();
            devices(&two[1].0.text).any(|name| known.contains(&name))
        };
        // The stamps of a page may have fewer digits than the kernel's own.
        let of_kernel = self.of != Some(Of::Firmware);
        of_kernel && self.stamped.len() >= LINES && self.stamped.windows(2).all(linked)
    }

    /// Does this line come again and again, each time after a silence? Something starts it by the clock.
    fn comes_round(&self, line: &Line) -> bool {
        const ROUNDS: usize = 3;
        let words =
            |line: &Line| -> String { said(line.text.trim()).chars().filter(|c| !c.is_ascii_digit()).collect() };
        let mine = words(line);
        let silent = |pair: &&[(&Line, i64, Since)]| pair[1].1.saturating_sub(pair[0].1) >= SHORTEST_WHOLE_NS;
        let rounds = self.stamped.windows(2).filter(silent);
        rounds.filter(|pair| words(pair[1].0) == mine).take(ROUNDS).count() == ROUNDS
    }

    /// Ends the piece: what begins is another.
    fn close(&mut self, best: &mut Longest<'a>) {
        let piece = std::mem::take(self);
        let Some(of) = piece
            .of
            .filter(|_| !piece.broken && !piece.chosen && piece.stamped.len() <= MOST && !piece.is_of_one_device())
        else {
            return;
        };
        let whole = piece.stamped.iter().all(|(_, ns, _)| ns % 1_000_000_000 == 0);
        let fine = !whole || !matches!(of, Of::Host | Of::Form(_));
        let shortest = if fine { SHORTEST_NS } else { SHORTEST_WHOLE_NS };
        for pair in piece.stamped.windows(2) {
            let ((from, begin, _), (to, end, since)) = (pair[0], pair[1]);
            let ns = end.saturating_sub(begin);
            if sleeps(&from.text) || wakes(&to.text) || piece.comes_round(to) {
                continue;
            }
            if ns >= shortest && best.is_none_or(|(_, _, most, _)| ns > most) {
                *best = Some((from, to, ns, since));
            }
        }
    }
}

/// The names of devices in a message: `mmc0`, `0000:00:17.5`.
fn devices(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split([' ', '(', ')', '[', ']', ',']).flat_map(|word| {
        let word = word.trim_end_matches([':', '.']);
        [word, word.split(':').next().unwrap_or("")]
    });
    parts.filter(|name| {
        let numbered = name.contains(|c: char| c.is_ascii_digit());
        let named = name.starts_with(|c: char| c.is_ascii_lowercase()) || name.matches(':').count() > 1;
        numbered && named
    })
}

/// Does the machine go to sleep with this line? The time behind it is that of the sleep.
fn sleeps(text: &str) -> bool {
    const WORDS: [&str; 7] = [
        "PM: suspend entry",
        "PM: hibernation entry",
        "PM: hibernation: hibernation entry",
        "PM: Preparing system for",
        "Suspending system",
        "Entering sleep state",
        "Reached target Sleep",
    ];
    WORDS.iter().any(|words| text.contains(words))
}

/// Does it wake up with this line?
fn wakes(text: &str) -> bool {
    const WORDS: [&str; 5] = [
        "PM: suspend exit",
        "PM: hibernation exit",
        "PM: hibernation: hibernation exit",
        "System returned from sleep",
        "System resumed",
    ];
    WORDS.iter().any(|words| text.contains(words))
}

fn cost(from: &Line, to: &Line, ns: i64, since: Since) -> Cost {
    let (after, before) = (spoken(from), spoken(to));
    let told = [&from.text, &to.text].into_iter().find(|text| saying(text).is_some());
    let hint = told.map_or(String::new(), |text| {
        format!("; `{}` may say why", shorten(text.trim()))
    });
    let title = if since.cut {
        format!("lines are left out after {after}")
    } else if since.loads {
        format!("the boot loader loads a file over the network behind {after}")
    } else if since.bare {
        format!("no line between {after} and {before} has a stamp of that form")
    } else {
        // Whoever quoted them may have left lines out.
        format!("this text shows nothing between {after} and {before}")
    };
    Cost::silence_between(
        title,
        ns,
        (from, to),
        &format!("{after} and {before}, by the stamps in front of them{hint}"),
        "look what runs between these two lines; give more of the log, so that it shows whether the boot waits for it",
    )
}

/// What a line says behind its stamp; the place of one that says nothing.
fn spoken(line: &Line) -> String {
    match said(line.text.trim()).trim() {
        "" => format!("line {}", line.number),
        text => format!("`{}`", shorten(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::line::lines_of;

    fn found(texts: &[&str]) -> Option<(i64, Vec<u32>)> {
        of_lines(&lines_of(&texts.join("\n"))).map(|cost| (cost.cost_ns.unwrap() / 1_000_000, cost.lines))
    }

    #[test]
    fn the_longest_of_any_clock() {
        assert_eq!(
            found(&["1:00:08 PM: frob: image sent", "1:03:31 PM: frob: asked again"]),
            Some((203_000, vec![1, 2]))
        );
        assert_eq!(
            found(&["9.10000| a", "no stamp", "9.20000| b", "11.70000| c"]),
            Some((2_500, vec![3, 4]))
        );
        assert_eq!(
            found(&[
                "2031-01-02 10:00:00,100 a",
                "2031-01-02 10:00:04,300 b",
                "2031-01-02 10:00:05,300 c"
            ]),
            Some((4_200, vec![1, 2]))
        );
    }

    #[test]
    fn across_what_is_left_out() {
        let text = "[ 1.000] a\n[...]\n[ 9.000] b\n[10.000] c";
        let cost = of_lines(&lines_of(text)).unwrap();
        assert_eq!(
            (cost.cost_ns, cost.title.as_str()),
            (Some(8_000_000_000), "lines are left out after `a`")
        );
    }

    #[test]
    fn what_is_none() {
        // Seconds are too coarse for a short silence.
        assert_eq!(found(&["10:00:00 a", "10:00:03 b"]), None);
        // A clock that goes back, one that jumps by an hour, two clocks.
        assert_eq!(found(&["10:00:10 a", "10:00:00 b", "10:00:09 c"]), None);
        assert_eq!(found(&["10:00:00 a", "11:00:00 b", "11:00:09 c"]), None);
        assert_eq!(found(&["10:00:00 a", "3.50 b"]), None);
        // A table's cells, and what people say to each other.
        assert_eq!(found(&["1.25 MB frob", "1.50 MB quux", "9.75 MB"]), None);
        assert_eq!(found(&["[10:00:00] <frob> it hangs", "[10:02:00] <quux> why?"]), None);
        // A timer starts something every minute.
        let rounds: Vec<String> = (1..6)
            .flat_map(|n| {
                [
                    format!("10:0{n}:00 Starting Frob..."),
                    format!("10:0{n}:01 Started Frob."),
                ]
            })
            .collect();
        let rounds: Vec<&str> = rounds.iter().map(String::as_str).collect();
        assert_eq!(found(&rounds), None);
        // Lines that somebody chose, or left out; all of one device.
        let of_one = [
            "[ 1.000] frob 7:1:2: up",
            "[ 1.100] mmc7: at [7:1:2]",
            "[ 91.000] mmc7: card",
            "[ 91.100] mmcblk7: mmc7:0001",
        ];
        assert_eq!(found(&of_one), None);
        assert!(found(&of_one[..3]).is_some());
        assert_eq!(
            found(&["[ 1.000] a", "-- repeats --", "[ 9.000] b"]).map(|(ms, _)| ms),
            Some(8_000)
        );
        assert_eq!(found(&["$ dmesg | grep frob", "[ 1.000] a", "[ 9.000] b"]), None);
        assert_eq!(found(&["[ 1.000] a", "```", "[ 9.000] b"]), None);
    }
}
