// SPDX-License-Identifier: MIT
//! Names of months in other languages than English: journalctl and `ts` write dates as the user's locale has them.
//!
//! Source: `abmon` of glibc's locales.

/// The names of each month, as locales abbreviate it, without the dot that some put behind. English ones are not among them.
#[rustfmt::skip]
const NAMES: [&[&str]; 12] = [
    &["ene", "gen", "ian", "jan", "janv", "led", "Oca", "sty", "tammi", "січ", "янв"],
    &["feb", "febr", "fev", "févr", "helmi", "lut", "Şub", "úno", "лют", "фев"],
    &["bře", "maalis", "mar", "mars", "mrt", "márc", "Mär", "бер", "мар"],
    &["abr", "apr", "april", "avril", "dub", "huhti", "kwi", "Nis", "ápr", "апр", "кві"],
    &["kvě", "mag", "mai", "Mai", "maj", "may", "mei", "máj", "touko", "мая", "тра"],
    &["cze", "giu", "Haz", "iun", "juin", "jun", "juni", "jún", "kesä", "čen", "июн", "чер"],
    &["heinä", "iul", "juil", "jul", "juli", "júl", "lip", "lug", "Tem", "čec", "июл", "лип"],
    &["ago", "août", "aug", "Ağu", "elo", "sie", "srp", "авг", "сер"],
    &["Eyl", "sep", "sept", "set", "syys", "szept", "wrz", "zář", "вер", "сен"],
    &["Eki", "loka", "oct", "okt", "Okt", "ott", "out", "paź", "říj", "жов", "окт"],
    &["Kas", "lis", "marras", "nov", "лис", "ноя"],
    &["Ara", "dec", "des", "dez", "Dez", "dic", "déc", "gru", "joulu", "pro", "гру", "дек"],
];

/// The number of the month, from 1.
pub fn foreign_month(name: &[u8]) -> Option<i64> {
    let name = std::str::from_utf8(name).ok()?;
    // Chinese, Japanese and Korean count.
    if let Some(number) = name.strip_suffix('月').or_else(|| name.strip_suffix('월')) {
        return number.parse().ok().filter(|month| (1..=12).contains(month));
    }
    let bare = name.strip_suffix('.').unwrap_or(name);
    let at = NAMES.iter().position(|names| names.contains(&bare))?;
    i64::try_from(at + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_have_a_number_in_any_language() {
        let numbers = ["fev", "Mär", "févr.", "мая", "12月", "2월", "Dez"].map(|name| foreign_month(name.as_bytes()));
        assert_eq!(numbers, [2, 3, 2, 5, 12, 2, 12].map(Some));
        assert!(["13月", "usb", "", "."]
            .iter()
            .all(|name| foreign_month(name.as_bytes()).is_none()));
    }
}
