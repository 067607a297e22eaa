// SPDX-License-Identifier: MIT
use super::*;

#[test]
fn what_systemd_says_of_units() {
    assert_eq!(begins("Starting Network Time..."), Some("Network Time"));
    assert_eq!(begins("Starting a.service - A…"), Some("a.service - A"));
    assert_eq!(begins("Starting syslogd: OK"), None);
    assert!(matches!(ends("Started Network Time."), Some(("Network Time", End::Up))));
    assert!(matches!(
        ends("Timed out waiting for device /dev/sdb1."),
        Some(("/dev/sdb1", End::Failed))
    ));
    assert!(ends("Started Network Time").is_none());
    let said = |text: &str| of_systemd(&Line::plain(1, 0, text.to_owned())).map(str::to_owned);
    assert_eq!(said("[  OK  ] Started X.").as_deref(), Some("Started X."));
    assert_eq!(said("[ ***  ] A start job").as_deref(), Some("A start job"));
    assert_eq!(said("systemd[1]: Mounted /boot.").as_deref(), Some("Mounted /boot."));
    assert_eq!(
        said("systemd[732]: Started X.").as_deref(),
        Some("systemd[732]: Started X.")
    );
}
