// SPDX-License-Identifier: MIT
//! The sums that a profile consists of, in bounded memory.

use std::collections::HashMap;
use std::hash::Hash;

use super::names::{folder_of, is_library};
use super::profile::{ApplicationProfile, CallSum, FileUse, Libraries, Missing, Noted, Polled, Sleep, Wait, MAX_ROWS};

/// Rows of a table while it is being filled.
const MAX_KEYS: usize = 20_000;
/// Waits kept until the longest are chosen.
const MAX_WAITS: usize = 8 * MAX_ROWS;

/// Everything that is summed up by a key.
#[derive(Debug, Default)]
pub struct Tables {
    /// By the call's name.
    pub calls: HashMap<String, CallSum>,
    files: HashMap<String, FileUse>,
    missing: HashMap<String, Missing>,
    sleeps: HashMap<(u32, Option<i64>), Sleep>,
    waits: Vec<Wait>,
    waits_total: u64,
    missing_total: u64,
    libraries: Libraries,
    left_out: u64,
    /// Single things.
    pub execs: Vec<Noted>,
    /// File systems.
    pub mounts: Vec<Noted>,
    /// Addresses.
    pub sockets: Vec<Noted>,
    /// Paths that were asked for again and again.
    pub polled: Vec<Polled>,
}

fn row<'a, K: Hash + Eq, V: Default>(table: &'a mut HashMap<K, V>, key: K, left_out: &mut u64) -> Option<&'a mut V> {
    if table.len() >= MAX_KEYS && !table.contains_key(&key) {
        *left_out += 1;
        return None;
    }
    Some(table.entry(key).or_default())
}

impl Tables {
    /// The row of a file.
    pub fn file(&mut self, path: &str, line: u32, took_ns: i64) -> Option<&mut FileUse> {
        if is_library(path) {
            self.libraries.took_ns = self.libraries.took_ns.saturating_add(took_ns);
        }
        let file = row(&mut self.files, path.to_owned(), &mut self.left_out)?;
        if file.path.is_empty() {
            path.clone_into(&mut file.path);
            file.first_line = line;
        }
        file.took_ns = file.took_ns.saturating_add(took_ns);
        Some(file)
    }

    /// A file was opened.
    pub fn opened(&mut self, path: &str, line: u32, took_ns: i64) {
        if is_library(path) {
            self.libraries.opened += 1;
        }
        if let Some(file) = self.file(path, line, took_ns) {
            file.opens += 1;
        }
    }

    /// A file was looked for where it is not.
    pub fn missed(&mut self, path: &str, line: u32, took_ns: i64) {
        self.missing_total += 1;
        let library = is_library(path);
        if library {
            self.libraries.missed += 1;
            self.libraries.took_ns = self.libraries.took_ns.saturating_add(took_ns);
        }
        let folder = folder_of(path);
        if let Some(missing) = row(&mut self.missing, folder.to_owned(), &mut self.left_out) {
            if missing.count == 0 {
                folder.clone_into(&mut missing.folder);
                path.clone_into(&mut missing.example);
                missing.first_line = line;
            }
            missing.count += 1;
            missing.libraries += u64::from(library);
            missing.took_ns = missing.took_ns.saturating_add(took_ns);
        }
    }

    /// A call of this name.
    pub fn called(&mut self, name: &str, failed: bool, took_ns: i64) {
        if let Some(sum) = row(&mut self.calls, name.to_owned(), &mut self.left_out) {
            if sum.count == 0 {
                name.clone_into(&mut sum.call);
            }
            sum.count += 1;
            sum.errors += u64::from(failed);
            sum.total_ns = sum.total_ns.saturating_add(took_ns);
            sum.max_ns = sum.max_ns.max(took_ns);
        }
    }

    /// A sleep.
    pub fn slept(&mut self, pid: u32, asked_ns: Option<i64>, took_ns: i64, line: u32) {
        if let Some(sleep) = row(&mut self.sleeps, (pid, asked_ns), &mut self.left_out) {
            if sleep.count == 0 {
                (sleep.pid, sleep.asked_ns, sleep.first_line) = (pid, asked_ns, line);
            }
            sleep.count += 1;
            sleep.total_ns = sleep.total_ns.saturating_add(took_ns);
        }
    }

    /// The process that had no number has one.
    pub fn renamed(&mut self, pid: u32) {
        self.waits
            .iter_mut()
            .filter(|wait| wait.pid == 0)
            .for_each(|wait| wait.pid = pid);
        let lists = [&mut self.execs, &mut self.mounts, &mut self.sockets];
        lists
            .into_iter()
            .flatten()
            .filter(|noted| noted.pid == 0)
            .for_each(|noted| noted.pid = pid);
        self.polled
            .iter_mut()
            .filter(|polled| polled.pid == 0)
            .for_each(|polled| polled.pid = pid);
        let nameless: Vec<_> = self.sleeps.keys().filter(|(of, _)| *of == 0).copied().collect();
        for key in nameless {
            if let Some(mut sleep) = self.sleeps.remove(&key) {
                sleep.pid = pid;
                self.sleeps.insert((pid, key.1), sleep);
            }
        }
    }

    /// A wait; the longest are kept.
    pub fn waited(&mut self, wait: Wait) {
        self.waits_total += 1;
        self.waits.push(wait);
        if self.waits.len() >= MAX_WAITS {
            self.waits.sort_by_key(|wait| -wait.took_ns);
            self.waits.truncate(MAX_ROWS);
        }
    }

    /// A single thing, into one of the lists.
    pub fn note(list: &mut Vec<Noted>, left_out: &mut u64, noted: Noted) {
        if list.len() < MAX_ROWS {
            list.push(noted);
        } else {
            *left_out += 1;
        }
    }

    /// A program was started, or could not be.
    pub fn exec(&mut self, noted: Noted) {
        Self::note(&mut self.execs, &mut self.left_out, noted);
    }

    /// A file system was mounted or unmounted.
    pub fn mount(&mut self, noted: Noted) {
        Self::note(&mut self.mounts, &mut self.left_out, noted);
    }

    /// A connection, or an address that is listened on.
    pub fn socket(&mut self, noted: Noted) {
        Self::note(&mut self.sockets, &mut self.left_out, noted);
    }

    /// Puts the tables into a profile, each sorted and cut.
    pub fn into_profile(self, profile: &mut ApplicationProfile) {
        let mut left_out = self.left_out;
        let mut cut = |length: usize| left_out += length.saturating_sub(MAX_ROWS) as u64;
        profile.calls = self.calls.into_values().collect();
        profile
            .calls
            .sort_by(|a, b| (b.total_ns, b.count, &a.call).cmp(&(a.total_ns, a.count, &b.call)));
        profile.files_total = self.files.len() as u64;
        profile.files = self.files.into_values().collect();
        profile.files.sort_by(|a, b| {
            (b.took_ns, b.read_bytes, b.mapped_bytes, &a.path).cmp(&(a.took_ns, a.read_bytes, a.mapped_bytes, &b.path))
        });
        profile.missing = self.missing.into_values().collect();
        profile
            .missing
            .sort_by(|a, b| (b.count, &a.folder).cmp(&(a.count, &b.folder)));
        profile.waits = self.waits;
        profile.waits.sort_by_key(|wait| (-wait.took_ns, wait.line));
        profile.sleeps = self.sleeps.into_values().collect();
        profile.sleeps.sort_by_key(|sleep| (-sleep.total_ns, sleep.first_line));
        profile.polled = self.polled;
        profile
            .polled
            .sort_by_key(|polled| (-polled.took_ns.unwrap_or(0), polled.first_line));
        cut(profile.files.len());
        cut(profile.missing.len());
        cut(profile.sleeps.len());
        cut(profile.polled.len());
        profile.calls.truncate(MAX_ROWS);
        profile.files.truncate(MAX_ROWS);
        profile.missing.truncate(MAX_ROWS);
        profile.waits.truncate(MAX_ROWS);
        profile.sleeps.truncate(MAX_ROWS);
        profile.polled.truncate(MAX_ROWS);
        profile.execs = self.execs;
        profile.mounts = self.mounts;
        profile.sockets = self.sockets;
        profile.libraries = self.libraries;
        profile.missing_total = self.missing_total;
        profile.waits_total = self.waits_total;
        profile.left_out = left_out;
    }
}
