// SPDX-License-Identifier: MIT
//! Tables of which every row says by itself what it is.

use super::table::TableSource;

/// Reads one row: whose, its name, and ns since the table's origin.
pub fn row(text: &str) -> Option<(TableSource, &str, i64)> {
    match text.as_bytes().first()? {
        b'B' => boot_time_parser(text).or_else(|| qualcomm(text)),
        b'S' | b'D' => None,
        b if b.is_ascii_hexdigit() => slim(text).or_else(|| cbmem(text)).or_else(|| cbmem_for_programs(text)),
        _ => None,
    }
}

/// True when the line is a row of a firmware's time table, which alone shows that a boot is told of.
pub fn is_table_row(text: &str) -> bool {
    let text = text.trim();
    row(text).is_some_and(|(source, name, _)| {
        let shown = source != TableSource::Cbmem || has_step(text) || name.contains("1st timestamp");
        shown && name.bytes().any(|b| b.is_ascii_alphabetic())
    })
}

/// `BOOTSTAGE_START_UBOOT_F        =    843 ms (+  0 ms)`.
fn boot_time_parser(text: &str) -> Option<(TableSource, &str, i64)> {
    let (name, rest) = text.split_once('=')?;
    let name = name.trim();
    if !name.starts_with("BOOTSTAGE_") {
        return None;
    }
    let (value, unit) = rest.trim().split_once(' ')?;
    let scale = match unit.split(' ').next()? {
        "ms" => 1_000_000,
        "us" => 1000,
        _ => return None,
    };
    Some((
        TableSource::BootTimeParser,
        name,
        value.parse::<i64>().ok()?.checked_mul(scale)?,
    ))
}

/// `B -   1234567 - PBL, Start`: microseconds since power-on.
fn qualcomm(text: &str) -> Option<(TableSource, &str, i64)> {
    let (value, name) = text.strip_prefix("B - ")?.trim_start().split_once(" - ")?;
    Some((
        TableSource::QualcommSbl,
        name,
        value.trim().parse::<i64>().ok()?.checked_mul(1000)?,
    ))
}

/// `1010 |       9 ms |       7 ms | Stage1A entry point` (or us, with a newer shell).
fn slim(text: &str) -> Option<(TableSource, &str, i64)> {
    let mut columns = text.split('|').map(str::trim);
    let (id, time, _, name) = (columns.next()?, columns.next()?, columns.next()?, columns.next()?);
    if id.len() > 6 || u32::from_str_radix(id.trim_start_matches("0x"), 16).is_err() {
        return None;
    }
    let (value, unit) = time.split_once(' ')?;
    let scale = match unit.trim() {
        "ms" => 1_000_000,
        "us" => 1000,
        _ => return None,
    };
    Some((
        TableSource::SlimBootloader,
        name,
        value.parse::<i64>().ok()?.checked_mul(scale)?,
    ))
}

/// `  11:start of bootblock                     1,200 (200)`: microseconds, and since the row before.
fn cbmem(text: &str) -> Option<(TableSource, &str, i64)> {
    let (id, rest) = text.split_once(':')?;
    if id.len() > 5 || !id.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let (rest, step) = match rest.strip_suffix(')') {
        Some(inner) => inner.rsplit_once('(').map(|(rest, step)| (rest.trim_end(), step))?,
        // Only the first row of older versions has none.
        None => (rest.trim_end(), "0"),
    };
    let (name, value) = rest.rsplit_once(' ')?;
    let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b',');
    // The name's column is padded: one blank alone is prose, blanks in it are columns of another table.
    let padded = name.ends_with(' ') && !name.trim().is_empty() && !name.trim().contains("  ");
    // A page may have taken the padding; then each row has its step.
    let pasted = text.ends_with(')') && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '1');
    let pasted = pasted && id.len() <= 4 && name.contains(' ') && !name.contains("  ");
    let column = padded || pasted;
    if !column || !number(value) || !number(step) {
        return None;
    }
    let value: i64 = value.replace(',', "").parse().ok()?;
    Some((TableSource::Cbmem, name, value.checked_mul(1000)?))
}

/// The same of `cbmem -T`: number, time, time since the row before, name, with tabs between them.
fn cbmem_for_programs(text: &str) -> Option<(TableSource, &str, i64)> {
    let mut columns = text.split('\t');
    let mut number = || -> Option<i64> { columns.next()?.parse().ok() };
    let (_, us, _) = (number()?, number()?, number()?);
    let name = columns
        .next()
        .filter(|name| columns.next().is_none() && !name.is_empty())?;
    Some((TableSource::Cbmem, name, us.checked_mul(1000)?))
}

/// Is this the end of a row of `cbmem -t` with the time since the row before, which all rows but the first have?
pub fn has_step(text: &str) -> bool {
    text.ends_with(')') || text.contains('\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_rows() {
        let (source, name, ns) = row("11:start of bootblock                     1,200 (200)").unwrap();
        assert_eq!(
            (source, name.trim(), ns),
            (TableSource::Cbmem, "start of bootblock", 1_200_000)
        );
        assert_eq!(row("1010 |       9 ms |       7 ms | Stage1A").unwrap().2, 9_000_000);
        assert_eq!(row("BOOTSTAGE_AWAKE   =      3 ms (+  0 ms)").unwrap().2, 3_000_000);
        assert_eq!(row("B -    123456 - PBL, Start").unwrap().2, 123_456_000);
        assert_eq!(
            row("17\t16642048\t10023\tstarting LZ4 decompress").unwrap().2,
            16_642_048_000
        );
        assert_eq!(
            row("1101:jumping to kernel 1,142,626 (17,740)").unwrap().2,
            1_142_626_000
        );
        assert_eq!(row("12:00 frob and quux 7 (3)"), None);
        assert_eq!(row("0: boot0               0x00100000      0x00000000      1"), None);
        assert_eq!(row("0: 1027 0002"), None);
        assert_eq!(row("BP: 0C00 0251 [0000]"), None);
    }
}
