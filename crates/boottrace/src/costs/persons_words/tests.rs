// SPDX-License-Identifier: MIT
//! Made-up texts of persons, and what is quoted of them.

use super::*;
use crate::log::line::lines_of;
use proptest::prelude::*;

fn told(text: &str) -> Option<String> {
    let lines = lines_of(text);
    of_lines(lines.iter()).map(|told| told.cost.title)
}

#[test]
fn sentences_that_say_why() {
    for text in [
        "The startup takes 130 seconds because the frob is checked.",
        "frob.service causes long boot delays.",
        "quuxd gets stuck at boot waiting for `eth7`.",
        "The frob-wait.service turned out to be the culprit of the slow boot.",
        "After disabling frobd.service it boots in 9 seconds.",
        "On boot, A start job is running for /dev/frob0 (1min 30s / no limit).",
        "For the BIOS to boot the frob would take over a minute.",
        "Der Dienst frob-wait.service war der \u{dc}belt\u{e4}ter, der zwei Minuten den Systemstart aufhielt.",
        "El arranque se demora por `frob`.",
        "It took 6 minutes to boot, did I screw up something ?",
        "2. Why is frobnet.service activating for 7 seconds of the boot?",
    ] {
        let title = told(&format!("Hello.\n\n{text}\n")).unwrap_or_else(|| panic!("{text}"));
        assert!(title.contains(text.trim_start_matches("2. ")), "{title}");
    }
}

#[test]
fn what_names_nothing_stands_with_what_does() {
    assert_eq!(
        told("The frob's u-boot scans usb first. This adds 7-9 seconds of delay at boot.").as_deref(),
        Some("the text says `The frob's u-boot scans usb first.` and `This adds 7-9 seconds of delay at boot.`")
    );
    assert_eq!(
        told("# frobd.service at boot\n\nIt takes 3 minutes.").as_deref(),
        Some("the text says `frobd.service at boot` and `It takes 3 minutes.`")
    );
    let text = "The frob took about 50 minutes to boot.\n\nSolved: I took console=ttyQ7 out of the menu.";
    assert!(told(text).is_some_and(|title| title.ends_with("`Solved: I took console=ttyQ7 out of the menu.`")));
}

/// How long it took, and why, stand in different sentences.
#[test]
fn the_cause_in_a_sentence_of_its_own() {
    for (symptom, cause) in [
        (
            "It takes ~5 min to go through the boot screen.",
            "That's because the frob has no serial line connected.",
        ),
        (
            "At boot the bar got stuck for about 15 minutes.",
            "I figured that it had to do with a full test of the memory.",
        ),
        (
            "The boot delay is 13 seconds.",
            "From the logs it is obvious what happens: it tries to read the EDID of FROB.",
        ),
        (
            "Booting stalls for a minute.",
            "We suspect the use of the frob driver, which polls each port.",
        ),
    ] {
        let text = format!("# Slow boot\n\n{symptom}\n\nI went to do something else. It was late.\n\n{cause}\n");
        let lines = lines_of(&text);
        let costs: Vec<Cost> = of_lines(lines.iter()).unwrap().costs().collect();
        let told = costs
            .iter()
            .map(|cost| cost.title.as_str())
            .collect::<Vec<_>>()
            .join("\n");
        assert!(told.contains(symptom) && told.contains(cause), "{told}");
        assert!(!told.contains("something else"), "{told}");
    }
}

#[test]
fn items_that_a_sentence_announces() {
    let text = "The boot takes a couple of minutes.\n\nWhat is annoying:\n- you wait for a key at each frob card\n\
                - you start the frobs one at a time\n- thanks for listening\n";
    let lines = lines_of(text);
    let costs: Vec<Cost> = of_lines(lines.iter()).unwrap().costs().collect();
    let told = costs.iter().map(|cost| cost.title.as_str()).collect::<String>();
    assert!(
        told.contains("at each frob card") && told.contains("one at a time"),
        "{told}"
    );
    assert!(!told.contains("listening"), "{told}");
}

#[test]
fn what_mended_it_and_not_what_it_takes_since() {
    let text = "# A frob\n\nWARNING: it took 6 minutes to boot, did I screw up something ?\n\n\
                frob-max-frequency=25000000 fixed the problem on my side. now boot time is few seconds.";
    let title = told(text).unwrap();
    assert!(title.contains("it took 6 minutes"), "{title}");
    assert!(!title.contains("few seconds"), "{title}");
}

#[test]
fn a_sentence_is_not_cut_before_its_cause() {
    let text = format!(
        "Boot takes 77 seconds, {}because of frobd.service.",
        "and many words, ".repeat(14)
    );
    assert_eq!(told(&text), Some(format!("the text says `{text}`")));
}

#[test]
fn what_says_nothing_of_a_slow_start() {
    for text in [
        "",
        "The build takes 20 minutes because of frob.service.",
        "A boot should take 5 seconds.",
        "Does frob.service slow the boot down?",
        "The frob is fine, and the boot is quick.",
        "now boot time is few seconds.",
        "# Shutdown hangs\n\nIt takes 90 seconds because of frob.service.",
        "After a suspend it takes 20 seconds, because the frob is slow. The boot is fine.",
        "# Options\n\n* `boot_wait`: how long the frob waits for a key, default 5 seconds.",
        "Set the boot_timeout to 30 seconds.",
        "NAME\nfrob-wait-online - Wait for the frob\nDESCRIPTION\nIt delays the boot until the frob is up.",
        "/* Wait up to 30 seconds for the firmware to boot. */\nint foo_timeout = 30;",
    ] {
        assert_eq!(told(text), None, "{text}");
    }
}

#[test]
fn other_languages() {
    for text in [
        "Il vero problema nasce dal disco FROB: l'avvio dura troppo, qualche minuto.",
        "Le démarrage prend 40 secondes à cause du service frobd.",
        "Der Start von Frob hängt 90 Sekunden, weil der Dienst frobd wartet.",
        "El arranque tarda dos minutos porque el servicio frobd espera la red.",
        "A inicialização demora 2 minutos por causa do serviço frobd.",
        "Система загружается долго, 90 секунд, из-за службы frobd.",
        "系统启动很慢，因为frobd服务等待90秒。",
        "起動が遅い原因はfrobdサービスで、90秒待たされます。",
        "부팅이 느린 원인은 frobd 서비스 때문에 90초 걸립니다.",
        "System uruchamia się długo, 90 sekund, z powodu usługi frobd.",
        "Het opstarten duurt 90 seconden omdat de dienst frobd wacht.",
    ] {
        let title = told(&format!("Frob\n\n{text}\n")).unwrap_or_else(|| panic!("{text}"));
        assert!(title.contains(text), "{title}");
    }
}

#[test]
fn hours_and_android() {
    for text in [
        "Booting the frob image in the simulator took 6-8 hours.",
        "Optimizing apps takes 12 minutes at every reboot.",
    ] {
        let title = told(&format!("Hello.\n\n{text}\n")).unwrap_or_else(|| panic!("{text}"));
        assert!(title.contains(text), "{title}");
    }
}

/// What was tried in vain, or taken back, is no cause; what the last post found is.
#[test]
fn the_last_word_of_a_thread() {
    let text = "# Slow boot\n\nThe boot takes 90 seconds.\n\nI think the frob card is the cause, because it is old.\n\n\
                I removed the frob card. It made no difference.\n\nWhich card is it?\n\nAn old one.\n\nDid you look at it?\n\n\
                Yes.\n\nIt is green.\n\nSolved: I removed quuxd.service and it boots in 9 seconds now.\n";
    let lines = lines_of(text);
    let told = of_lines(lines.iter()).unwrap();
    assert!(
        told.cost.title.contains("Solved: I removed quuxd.service"),
        "{}",
        told.cost.title
    );
    assert!(!told.cost.title.contains("no difference"), "{}", told.cost.title);
}

#[test]
fn advice_is_called_advice() {
    let text = "Slow boots\n\nThis guide shows how to mend a slow boot. You can mask frob.service, because it causes delays.\n";
    let title = told(text).unwrap();
    assert!(
        title.starts_with("a guide says, of no boot in particular, `"),
        "{title}"
    );
}

#[test]
fn a_block_and_a_table_without_a_sentence() {
    let block = "# Boot\n\n```\n- Firmware:  32.2 s (frob)\n- Kernel:  570 ms\nTotal: 33 s\n```\n";
    assert!(told(block).is_some_and(|title| title.starts_with("the text lists `Firmware:  32.2 s (frob)`")));
    let table = "# 起動\n\n| 時刻 | 所要 |\n|---|---|\n| frob | 3.0s |\n| quux | 1.0s |\n";
    assert!(told(table).is_some_and(|title| title.contains("`frob | 3.0s`")));
}

proptest! {
    /// Any text is read without a panic; what is quoted stands in it, but for breaks and marks.
    #[test]
    fn any_text(words in proptest::collection::vec(
        prop_oneof![
            Just("boot"), Just("slow"), Just("because"), Just("90 seconds"), Just("启动慢"), Just("。"), Just("原因"),
            Just("90秒"), Just("| a | 3 s |"), Just("\n"), Just("\n\n"), Just("> "), Just("- "), Just("frob: 3 s"),
            Just("~~~"), Just("# "), Just("ß"), Just("."), Just("?"), Just("：")
        ], 0..60)) {
        let text = words.join(" ");
        let plain = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        let lines = lines_of(&text);
        for cost in of_lines(lines.iter()).into_iter().flat_map(Told::costs) {
            for quote in cost.title.split('`').skip(1).step_by(2) {
                prop_assert!(plain(&text).contains(&plain(quote)), "{}", cost.title);
            }
        }
    }
}

fn all(text: &str) -> Vec<String> {
    let lines = lines_of(text);
    let told = of_lines(lines.iter());
    told.into_iter().flat_map(Told::costs).map(|cost| cost.title).collect()
}

/// A symptom with its time, and two causes that say different things; what repeats the title is not quoted twice.
#[test]
fn a_symptom_and_causes_of_different_content() {
    let text = "# The frob board is slow to boot\n\nThe frob board is very slow to boot.\n\nIt takes 40 seconds until the login.\n\n\
                It turned out that quuxd.service waits for eth7.\n\nThe other culprit was the zork driver, which probes each port.\n";
    let told = all(text);
    for part in ["40 seconds", "quuxd.service waits", "zork driver"] {
        assert!(told.concat().contains(part), "{told:?}");
    }
    assert_eq!(told.concat().matches("slow to boot").count(), 1, "{told:?}");
}

/// What else is said stands in costs that are short enough to be shown whole.
#[test]
fn further_sentences_are_not_cut() {
    let long = |n: usize| {
        let names: Vec<String> = (0..9).map(|at| format!("the frob{n}{at} of zork{at}{n}")).collect();
        format!(
            "The boot waits 9{n} seconds for frob{n}.service, {}.\n\n",
            names.join(", ")
        )
    };
    let text: String = (1..7).map(long).collect();
    let told = all(&text);
    assert!(told.len() > 2, "{told:?}");
    assert!(told[1..].iter().all(|title| title.chars().count() < 400), "{told:?}");
}

#[test]
fn guesses_and_parts_at_fault() {
    for cause in [
        "I'd guess this is a BIOS bug of the frob.",
        "Do you have a bad SD card?",
        "May be misconfiguration of the NOR flash, it is not getting chip select in time.",
        "The number of checks makes the daemon not starting as fast as before.",
        "It is very likely that the driver is doing a selftest.",
    ] {
        let text = format!("# Slow boot\n\nIt takes 3 minutes to boot.\n\nIt is a machine of May.\n\n{cause}\n");
        assert!(all(&text).concat().contains(cause), "{:?}", all(&text));
    }
}

/// A text about a loader, a unit or a sensor that gets ready need not speak of a boot; one on a menu speaks of none.
#[test]
fn starts_that_are_not_called_so() {
    for text in [
        "# grub with frob\n\nOpening the key is very slow with big files (ab. 2 minutes with 8 kb).\n",
        "# frob-sync.service is very slow\n\nIt can take half an hour for the frob to settle.\n",
        "# It takes around a minute to arm (sensor calib)\n\nThe gyro is noisy, so the calibration takes long.\n",
    ] {
        assert!(!all(text).is_empty(), "{text}");
    }
    for text in [
        "# Everything is slow to open\n\nThe start menu is not slow, but what I click on is.\n\n\
         After rebooting it does not happen. After hours of uptime it is slow.\n",
        "# The frob is slow in its enumeration\n\nIt takes 2 seconds between its descriptors.\n",
    ] {
        assert!(all(text).is_empty(), "{:?}", all(text));
    }
}

/// Around a log that shows a wait, a cause need not speak of a start.
#[test]
fn beside_a_wait() {
    let text = "Hi,\n\nthe frob driver may suspend at any time.\n\nThe root cause is that the scope of zork_lock is too big.\n";
    let lines = lines_of(text);
    assert!(of_lines(lines.iter()).is_none());
    let told = of_lines_near(lines.iter(), true).unwrap();
    assert!(
        told.why
            && told
                .cost
                .title
                .contains("The root cause is that the scope of zork_lock is too big.")
    );
}

/// All that is quoted of a text.
fn all_told(text: &str) -> String {
    let lines = lines_of(text);
    let costs = of_lines(lines.iter()).into_iter().flat_map(Told::costs);
    costs.map(|cost| cost.title + "\n").collect()
}

#[test]
fn what_stands_beside_the_best_sentence_is_quoted_where_there_is_room() {
    let text = "---\ntitle: A very slow start of my frob\npermalink: \"/2031/frob-start/\"\n---\n\
                I tried for a week to learn why it boots so slowly.\n\n\
                It is simple: the quux is kept on btrfs, and nothing limits its size.\n";
    let told = all_told(text);
    assert!(
        told.contains("`It is simple: the quux is kept on btrfs, and nothing limits its size.`"),
        "{told}"
    );
    assert!(!told.contains("permalink"), "{told}");
}

#[test]
fn where_no_sentence_weighs_much_the_one_with_a_time_is_quoted() {
    let text =
        "# Submission 6\n\nFrom the first picture we can see that the system booted in ~54s, ~4s of them the frob.\n";
    assert!(all_told(text).contains("booted in ~54s"));
    assert!(
        all_told("# Frobnicator takes 15 minutes before it is launched\n\nIt copies all quuxes first.\n")
            .contains("`Frobnicator takes 15 minutes before it is launched`")
    );
    let text = "# Submission 6\n\nThe picture shows a frob.\n";
    assert_eq!(all_told(text), "", "{text}");
}

#[test]
fn a_heading_on_an_end_hides_no_start() {
    let text = "### 12. Shutting down cleanly\n\nA boot took 14 s longer, all of it in mounting the drive:\n\
                it was mended first, because it had not been closed at the last shutdown.\n";
    assert!(all_told(text).contains("because it had not been closed"));
    assert_eq!(
        all_told("# Slow shutdown\n\nIt takes 90 seconds because of the frob.\n"),
        ""
    );
}

#[test]
fn long_mails_and_patches() {
    let cause = "The frob is probed twice, which adds a delay of 4 seconds to the boot.\n";
    // What is answered makes a mail long, and is no document.
    let answered = "> > The quux of it is green, and stays so.\n>\n".repeat(140);
    let mail = format!("Subject: Re: frob: slow boot\n\n{cause}\n{answered}");
    assert!(told(&mail).is_some_and(|title| title.contains(cause.trim())));
    let document = mail.replace("> > ", "").replace(">\n", "\n");
    assert!(told(&document).is_none_or(|title| !title.contains(cause.trim())));
    let unmarked = document.replace(cause, &format!("{cause}\nOn Monday A B <a@b.c> wrote:\n"));
    assert!(told(&unmarked).is_some_and(|title| title.contains(cause.trim())));
    // A patch is a program's text: it makes no mail a document, and nothing in it is a person's.
    let hunk = "+\t.frob_delay = wait_for_boot, it waits,\n".repeat(600);
    let head = " drivers/frob.c | 600 +++\n 1 file changed, 600 insertions(+)\n\ndiff --git a/drivers/frob.c b/drivers/frob.c\n";
    let patch =
        format!("Subject: [PATCH] frob: probe it once\n\n{cause}\n---\n{head}@@ -1,1 +1,601 @@ frob\n{hunk}-- \n2.1\n");
    let lines = lines_of(&patch);
    let all: String = of_lines(lines.iter())
        .into_iter()
        .flat_map(Told::costs)
        .map(|cost| cost.title)
        .collect();
    assert!(
        all.contains(cause.trim()) && !all.contains("frob_delay") && !all.contains("changed"),
        "{all}"
    );
}

#[test]
fn what_tells_of_no_wait_is_not_told() {
    let text = "# Slow boot\n\nThe frob takes 3 minutes to boot after its update.\n\nI moved to a quux board, so I cannot send a log.\n\n\
                I will run git bisect, which will take some time.\n\nWe looked at its network settings in the menu.\n";
    let lines = lines_of(text);
    let costs: Vec<_> = of_lines(lines.iter()).into_iter().flat_map(Told::costs).collect();
    let all: String = costs.iter().map(|cost| cost.title.as_str()).collect();
    assert!(all.contains("takes 3 minutes"), "{all}");
    for said in ["quux board", "bisect", "in the menu"] {
        assert!(!all.contains(said), "{all}");
    }
    // What names no time states none.
    let lines = lines_of("I see that the boot hangs because of frob.service.");
    let kinds = of_lines(lines.iter())
        .into_iter()
        .flat_map(Told::costs)
        .map(|cost| cost.kind);
    assert!(kinds.eq([CostKind::Quotation]));
}

#[test]
fn a_login_that_is_slow() {
    let told = told("# It makes the login slow\n\nSince the update I see 20-30 seconds of delay after logging in.\n");
    assert!(told.is_some_and(|title| title.contains("20-30 seconds")));
}
