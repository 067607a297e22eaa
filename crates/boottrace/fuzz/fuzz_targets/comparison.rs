// SPDX-License-Identifier: MIT
//! Budgets, and the comparison of two boot logs that share the bytes.
#![no_main]

use boottrace::document::comparison::compare;
use boottrace::document::budget::Budget;
use boottrace::document::threshold::Thresholds;
use boottrace::{analyze, Options};
use libfuzzer_sys::fuzz_target;

const HEAD: &[u8] = b"[    0.000000] Linux version 6.1.0 (a@b) (gcc) #1\n";

fuzz_target!(|data: &[u8]| {
    let (given, logs) = data.split_at(memchr(data, b'\n'));
    let budget = Budget::parse(&String::from_utf8_lossy(given)).ok();
    let (base, new) = logs.split_at(logs.len() / 2);
    let documents =
        [base, new].map(|log| analyze("fuzz", &[HEAD, log].concat(), &Options::default()).expect("never empty"));
    let [base, new] = &documents;
    let budgets: Vec<Budget> = budget.into_iter().chain(Budget::parse("kernel=1s")).collect();
    let compared = compare(&[base], &[new], &Thresholds::default(), &budgets);
    assert!(compared.base_runs <= base.parts.len() && compared.new_runs <= new.parts.len());
    assert_eq!(compared.budgets.len(), budgets.len());
});

fn memchr(data: &[u8], byte: u8) -> usize {
    data.iter().position(|b| *b == byte).unwrap_or(data.len())
}
