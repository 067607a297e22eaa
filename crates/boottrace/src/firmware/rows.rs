//! Tables of which every row says by itself what it is.

use super::table::TableSource;

/// Reads one row: whose, its name, and ns since the table's origin.
pub fn row(text: &str) -> Option<(TableSource, &str, i64)> {
    match text.as_bytes().first()? {
        b'B' => boot_time_parser(text).or_else(|| qualcomm(text)),
        b'S' | b'D' => None,
        b if b.is_ascii_hexdigit() => slim(text).or_else(|| cbmem(text)),
        _ => None,
    }
}

/// True when the line is a row of a firmware's time table, which alone shows that a boot is told of.
pub fn is_table_row(text: &str) -> bool {
    row(text.trim()).is_some_and(|(_, name, _)| name.bytes().any(|b| b.is_ascii_alphabetic()))
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

/// `  11:start of bootblock                     1,200 (200)`: microseconds.
fn cbmem(text: &str) -> Option<(TableSource, &str, i64)> {
    let (id, rest) = text.split_once(':')?;
    if id.len() > 5 || !id.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let rest = match rest.strip_suffix(')') {
        Some(inner) => inner.rsplit_once('(')?.0.trim_end(),
        None => rest.trim_end(),
    };
    let (name, value) = rest.rsplit_once(' ')?;
    // The name's column is padded: one blank alone is prose.
    if !name.ends_with(' ') || name.trim().is_empty() || !value.bytes().all(|b| b.is_ascii_digit() || b == b',') {
        return None;
    }
    let value: i64 = value.replace(',', "").parse().ok()?;
    Some((TableSource::Cbmem, name, value.checked_mul(1000)?))
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
        assert_eq!(row("0: 1027 0002"), None);
        assert_eq!(row("BP: 0C00 0251 [0000]"), None);
    }
}
