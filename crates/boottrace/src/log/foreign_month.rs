// SPDX-License-Identifier: MIT
//! Names of months in other languages than English: journalctl and `ts` write dates as the user's locale has them.
//!
//! Source: `abmon` of glibc's locales.

/// The names of each month, as locales abbreviate it, without the dot that some put behind. English ones are not among them.
#[rustfmt::skip]
const NAMES: [&[&str]; 12] = [
    &["ene", "gen", "ian", "jan", "janv", "led", "Oca", "sty", "tammi", "січ", "янв", "Ene", "jaan", "sij", "Ιαν", "яну", "saus", "ion", "Ion", "urt", "gener", "იან", "Հնվ", "ינו", "ม.ค", "студ", "сту"],
    &["feb", "febr", "fev", "févr", "helmi", "lut", "Şub", "úno", "лют", "фев", "Peb", "veebr", "velj", "Φεβ", "vas", "Chwef", "ots", "თებ", "Փտր", "פבר", "ก.พ", "феб"],
    &["bře", "maalis", "mar", "mars", "mrt", "márc", "Mär", "бер", "мар", "març", "märts", "ožu", "Μαρ", "kov", "Maw", "marts", "март", "mart", "მარ", "Մար", "מרץ", "มี.ค", "сак"],
    &["abr", "apr", "april", "avril", "dub", "huhti", "kwi", "Nis", "ápr", "апр", "кві", "Abr", "Απρ", "bal", "Ebr", "api", "აპრ", "Ապր", "אפר", "เม.ย", "кра"],
    &["kvě", "mag", "mai", "Mai", "maj", "may", "mei", "máj", "touko", "мая", "тра", "maig", "svi", "Μαϊ", "Μάι", "май", "geg", "maí", "მაი", "Մայ", "מאי", "พ.ค", "мај", "maijs"],
    &["cze", "giu", "Haz", "iun", "juin", "jun", "juni", "jún", "kesä", "čen", "июн", "чер", "Hun", "juny", "juuni", "Ιουν", "юни", "birž", "Meh", "eka", "jūn", "јун", "ივნ", "Հնս", "יונ", "มิ.ย", "чэр"],
    &["heinä", "iul", "juil", "jul", "juli", "júl", "lip", "lug", "Tem", "čec", "июл", "лип", "Hul", "juuli", "Ιουλ", "юли", "liep", "Gorff", "uzt", "jūl", "јул", "ივლ", "Հլս", "יול", "ก.ค", "ліп"],
    &["ago", "août", "aug", "Ağu", "elo", "sie", "srp", "авг", "сер", "Agt", "ag", "kol", "Αυγ", "rugp", "Awst", "abu", "ágú", "აგვ", "Օգս", "אוג", "ส.ค", "жні"],
    &["Eyl", "sep", "sept", "set", "syys", "szept", "wrz", "zář", "вер", "сен", "Set", "ruj", "Σεπ", "сеп", "rugs", "Medi", "ira", "სექ", "Սեպ", "ספט", "ก.ย"],
    &["Eki", "loka", "oct", "okt", "Okt", "ott", "out", "paź", "říj", "жов", "окт", "Οκτ", "spal", "Hyd", "urr", "ოქტ", "Հոկ", "אוק", "ต.ค", "кас"],
    &["Kas", "lis", "marras", "nov", "лис", "ноя", "Nob", "stu", "Νοε", "ное", "lapkr", "Tach", "aza", "nóv", "нов", "ნოე", "Նոյ", "נוב", "พ.ย", "ліс"],
    &["Ara", "dec", "des", "dez", "Dez", "dic", "déc", "gru", "joulu", "pro", "гру", "дек", "Dis", "dets", "Δεκ", "gruod", "Rhag", "abe", "дец", "დეკ", "Դեկ", "דצמ", "ธ.ค", "сне"],
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
        let numbers = [
            "fev", "Mär", "févr.", "мая", "12月", "2월", "Dez", "Hul", "birž.", "spal.",
        ]
        .map(|name| foreign_month(name.as_bytes()));
        assert_eq!(numbers, [2, 3, 2, 5, 12, 2, 12, 7, 6, 10].map(Some));
        assert!(["13月", "usb", "", "."]
            .iter()
            .all(|name| foreign_month(name.as_bytes()).is_none()));
    }
}
