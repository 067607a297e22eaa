// SPDX-License-Identifier: MIT
//! What syslog writes of a start before the kernel's lines, and clocks that are set in a piece. Logs made up for each.

mod reading;

use boottrace::{Document, NotABoot, Part};
use reading::{boots, read};

fn left_out(document: &Document) -> Vec<&NotABoot> {
    let parts = document.parts.iter();
    parts
        .filter_map(|part| match part {
            Part::NotABoot(other) => Some(other),
            _ => None,
        })
        .collect()
}

const UNITS: &str = "Mar  3 10:00:07 box systemd-modules-load[90]: Inserted module 'frob'\n\
     Mar  3 10:00:07 box systemd[1]: Mounted /boot.\n\
     Mar  3 10:00:07 box systemd[1]: Reached target Local File Systems.\n\
     Mar  3 10:00:07 box systemd[1]: Starting Raise network interfaces...\n";

fn kernel(time: &str) -> String {
    format!(
        "Mar  3 {time} box kernel: [    0.000000] Linux version 5.10.11 (a@b) (gcc) #1 SMP\n\
         Mar  3 {time} box kernel: [    1.250000] Run /sbin/init as init process\n"
    )
}

#[test]
fn units_before_the_kernels_lines_are_of_the_boot_that_follows() {
    let log = UNITS.to_owned() + &kernel("10:00:08");
    let document = read(&log);
    let other = left_out(&document);
    assert_eq!(other.len(), 1);
    assert_eq!((other[0].what.as_str(), other[0].to_line), ("before-kernel", 4));
    assert!(other[0].why.starts_with("line 3 says "), "{}", other[0].why);
    assert!(other[0].why.ends_with(" from line 5"), "{}", other[0].why);
    assert_eq!(boots(&log).len(), 1);
}

#[test]
fn a_day_of_the_system_before_them_does_not_hide_the_start() {
    let day = "Mar  3 00:00:01 box rsyslogd: rsyslogd was HUPed\n\
         Mar  3 00:17:01 box CRON[77]: (root) CMD (run-parts /etc/cron.hourly)\n";
    let document = read(&(day.to_owned() + UNITS + &kernel("10:00:08")));
    let other = left_out(&document);
    let spans: Vec<_> = other
        .iter()
        .map(|part| (part.what.as_str(), part.from_line, part.to_line))
        .collect();
    assert_eq!(spans, [("program-log", 1, 2), ("before-kernel", 3, 6)]);
    assert!(other[1].why.starts_with("line 5 says "), "{}", other[1].why);
}

#[test]
fn a_start_long_before_the_kernels_lines_is_another() {
    let document = read(&(UNITS.to_owned() + &kernel("11:30:00")));
    let other = left_out(&document);
    assert_eq!(other.len(), 1);
    assert_eq!(other[0].what, "program-log");
    assert!(other[0].why.contains("; line 3 is of a start: "), "{}", other[0].why);
    assert!(!other[0].why.contains("shows the start"), "{}", other[0].why);
}

#[test]
fn lines_of_daemons_show_no_start() {
    let daemons = "Mar  3 10:00:01 box frobd[90]: a client asks\n\
         Mar  3 10:00:02 box systemd[1]: Started Session 4 of user quux.\n\
         Mar  3 10:00:03 box frobd[90]: it was served\n";
    let document = read(&(daemons.to_owned() + &kernel("10:00:08")));
    let other = left_out(&document);
    assert_eq!(other.len(), 1);
    assert_eq!(other[0].what, "program-log");
    assert!(
        other[0].why.ends_with("no known line of a start was found"),
        "{}",
        other[0].why
    );
}

#[test]
fn a_clock_that_is_set_makes_no_silence() {
    let piece = |words: &str| {
        format!(
            "```\n\
             Jul 09 10:17:18 box systemd[1]: Reached target Local File Systems.\n\
             Jul 09 10:17:19 box systemd[1]: Mounted /frob.\n\
             Jul 09 10:17:26 box systemd-frobd[223]: {words}\n\
             Jul 09 10:23:27 box systemd[1]: Listening on Frob Socket.\n\
             Jul 09 10:23:28 box systemd[1]: Started Quux Daemon.\n\
             ```\n"
        )
    };
    let costs = |words: &str| serde_json::to_string(&read(&piece(words)).parts).unwrap();
    assert!(costs("it waits").contains("361000000000"), "a silence is told");
    let set = costs("System clock time unset or jumped backwards, restoring from recorded timestamp");
    assert!(!set.contains("361000000000"), "{set}");
    assert!(set.contains("7000000000"), "what passes before it is: {set}");
}

#[test]
fn a_system_that_goes_down_has_no_silence_of_a_start() {
    let piece = |unit: &str| {
        format!(
            "Jan 24 22:11:30 box frob_agent[662]: Updating keys.\n\
             Jan 24 22:20:04 box systemd[1]: {unit}: Deactivated successfully.\n\
             Jan 24 22:20:05 box frob_agent[662]: Agent stopped\n"
        )
    };
    let told = |unit: &str| serde_json::to_string(&read(&piece(unit)).parts).unwrap();
    assert!(told("frob-setup.service").contains("514000000000"));
    assert!(!told("frob-cache.timer").contains("514000000000"));
}

#[test]
fn a_paste_with_the_numbers_of_its_margin_is_read() {
    let log = "Slow\n1. $ systemd-analyze blame\n2. 1min 32.099s frob.service\n3. 6.153s quux.service\n4. 640ms baz.service\n\
               5.  \n6. $ systemd-analyze --user blame\n7. 48.034s splash.service\n8. 2s panel.service\n9. 1s clip.service\n";
    let document = read(log);
    let reports = reading::unit_reports(&document);
    assert_eq!(reports.len(), 2, "the user's units are not the system's");
    let text = serde_json::to_string(reports[0]).unwrap();
    assert!(text.contains("92099000000") && !text.contains("splash"), "{text}");
    let text = serde_json::to_string(reports[1]).unwrap();
    assert!(text.contains("the system's boot does not wait for them"), "{text}");
    let account = "1. $ systemd-analyze\n2. Startup finished in 2.000s (kernel) + 9.000s (userspace) = 11.000s\n3.  \n\
                   4. $ systemd-analyze --user blame\n5. 8.034s splash.service\n6. 2s panel.service\n7. 1s clip.service\n";
    assert_eq!(
        reading::unit_reports(&read(account)).len(),
        2,
        "nor are they its account's"
    );
}
