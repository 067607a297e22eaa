// SPDX-License-Identifier: MIT
//! A table, stated once: its columns, rows and cells, for the terminal and for a page.

use serde::Serialize;

use crate::figures::{count, grouped_ms, ms, ABSENT};
use crate::shown::show;

/// Rows of a table that a page shows.
pub const ROWS_LIMIT: usize = 1000;
/// Characters of a text that the terminal shows, where no cell says another number.
const LIMIT: u32 = 160;

/// For whom a table is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Only {
    /// For both.
    #[default]
    Both,
    /// For the terminal.
    Terminal,
    /// For a page.
    Page,
}

/// A cell. A number is sorted by its value, an absent one last; a text by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TableCell {
    /// What the terminal shows.
    pub text: String,
    /// What a page shows.
    pub on_page: String,
    /// Whether it is sorted by `value`.
    pub is_number: bool,
    /// The number.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub value: Option<i64>,
    /// Its style on the terminal.
    #[serde(skip_serializing_if = "str::is_empty", default)]
    pub style: &'static str,
    /// So many characters stand on the terminal.
    pub limit: u32,
}

impl TableCell {
    /// The same with another style on the terminal.
    #[must_use]
    pub fn styled(self, style: &'static str) -> Self {
        Self { style, ..self }
    }

    /// The same with another limit.
    #[must_use]
    pub fn limited(self, limit: u32) -> Self {
        Self { limit, ..self }
    }
}

/// A cell of any text: it may come out of a log.
pub fn words(text: impl Into<String>) -> TableCell {
    let text = text.into();
    TableCell {
        on_page: text.clone(),
        text,
        is_number: false,
        value: None,
        style: "",
        limit: LIMIT,
    }
}

/// A cell of another text on the terminal than on a page.
pub fn two_texts(text: String, on_page: String) -> TableCell {
    TableCell { text, ..words(on_page) }
}

fn number_of(text: String, on_page: String, value: Option<i64>) -> TableCell {
    TableCell {
        is_number: true,
        value,
        ..two_texts(text, on_page)
    }
}

/// A cell of milliseconds.
pub fn time(ns: Option<i64>) -> TableCell {
    number_of(ms(ns), grouped_ms(ns), ns)
}

/// The same, empty where nothing is known.
pub fn time_or_nothing(ns: Option<i64>) -> TableCell {
    if ns.is_some() {
        time(ns)
    } else {
        number_of(String::new(), String::new(), None)
    }
}

/// A cell of a number that names something: a line, a process.
pub fn label(value: Option<u32>) -> TableCell {
    let text = value.map_or_else(String::new, |value| value.to_string());
    let on_page = value.map_or_else(|| ABSENT.to_owned(), |value| count(value.into()));
    number_of(text, on_page, value.map(i64::from))
}

/// A cell of a number, grouped by thousands.
pub fn number(value: u64) -> TableCell {
    number_of(count(value), count(value), i64::try_from(value).ok())
}

/// A cell of a share.
pub fn share(text: String, value: i64) -> TableCell {
    number_of(text.clone(), text, Some(value))
}

/// A table. A column `>name` is set to the right, `~name` takes what room the others leave on the terminal.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TableListing {
    /// Its title.
    pub title: String,
    /// Its columns.
    pub columns: Vec<&'static str>,
    /// Its rows.
    pub rows: Vec<Vec<TableCell>>,
    /// What a page says above it.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub lead: String,
    /// Its title on the terminal, where that says more than a page's.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub terminal: String,
    /// Its title where a recording knows when the goal came, where that is another.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub beside_goal: String,
    /// For whom it is.
    pub only: Only,
    /// Columns, by their number, that only a page has room for.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub narrow: Vec<u32>,
    /// So many rows are shown however few are asked for.
    pub least: u32,
    /// What the terminal says below it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub below: Vec<String>,
}

/// A column of a page's table: its name, and whether it stands on the right.
pub type PageColumn = (String, bool);

/// A cell of a page's table: a text, or a text and what it is sorted by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum PageCell {
    /// A text.
    Text(String),
    /// A number.
    Number(String, Option<i64>),
}

/// A table as a page's script draws it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PageTable {
    /// Its title.
    pub caption: String,
    /// What stands above it.
    pub lead: String,
    /// Its columns.
    pub columns: Vec<PageColumn>,
    /// Its rows.
    pub rows: Vec<Vec<PageCell>>,
    /// How many rows were cut.
    pub left: usize,
}

impl TableListing {
    /// The table beside a goal that a recording knows.
    #[must_use]
    pub fn beside_goal(self) -> Self {
        let title = if self.beside_goal.is_empty() {
            self.title
        } else {
            self.beside_goal.clone()
        };
        Self { title, ..self }
    }

    /// The table as a page's script draws it.
    pub fn on_page(&self) -> PageTable {
        let cell = |cell: &TableCell| {
            let text = show(&cell.on_page);
            if cell.is_number {
                PageCell::Number(text, cell.value)
            } else {
                PageCell::Text(text)
            }
        };
        let column = |name: &&str| {
            let name = name.trim_start_matches('~');
            (name.trim_start_matches('>').to_owned(), name.starts_with('>'))
        };
        PageTable {
            caption: self.title.clone(),
            lead: self.lead.clone(),
            columns: self.columns.iter().map(column).collect(),
            rows: self
                .rows
                .iter()
                .take(ROWS_LIMIT)
                .map(|row| row.iter().map(cell).collect())
                .collect(),
            left: self.rows.len().saturating_sub(ROWS_LIMIT),
        }
    }
}

/// Those that have rows as a page's script draws them.
pub fn on_page(listings: &[TableListing]) -> Vec<PageTable> {
    let shown = listings
        .iter()
        .filter(|one| !one.rows.is_empty() && one.only != Only::Terminal);
    shown.map(TableListing::on_page).collect()
}
