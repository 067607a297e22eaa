#![doc = include_str!("../README.md")]
// SPDX-License-Identifier: MIT
#![warn(missing_docs)]

use std::cell::RefCell;

mod answer;

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static DOCUMENT: RefCell<Option<boottrace::Document>> = const { RefCell::new(None) };
}

// Only a page sees these names: a program's own `read` is the C library's.

/// Makes room for `length` bytes and says where: a name and, right behind it, the log.
#[cfg_attr(target_family = "wasm", no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        input.clear();
        input.resize(length, 0);
        input.as_mut_ptr()
    })
}

/// Reads what stands in the input: `name_length` bytes of a name, then the log. The output is the answer. Returns 0, or
/// 1 where there is nothing to read; then the output is a sentence.
#[cfg_attr(target_family = "wasm", no_mangle)]
pub extern "C" fn read(name_length: usize) -> i32 {
    // With `panic = "abort"` the hook is the last that runs: the page shows what it leaves.
    std::panic::set_hook(Box::new(|fault| say(fault.to_string().into_bytes())));
    let bytes = INPUT.take();
    let (name, log) = bytes.split_at(name_length.min(bytes.len()));
    match answer::read(&String::from_utf8_lossy(name), log) {
        Ok((document, answer)) => {
            DOCUMENT.set(Some(document));
            say(answer);
            0
        }
        Err(text) => {
            say(text.into_bytes());
            1
        }
    }
}

/// Makes the whole document the output, as `bootlab analyze --json` has it but for what helps. Returns 0, or 1 where
/// nothing was read.
#[cfg_attr(target_family = "wasm", no_mangle)]
pub extern "C" fn document() -> i32 {
    DOCUMENT.with_borrow(|document| match document.as_ref().map(serde_json::to_vec) {
        Some(Ok(text)) => {
            say(text);
            0
        }
        _ => 1,
    })
}

/// Where the output stands.
#[cfg_attr(target_family = "wasm", no_mangle)]
pub extern "C" fn output() -> *const u8 {
    OUTPUT.with_borrow(|output| output.as_ptr())
}

/// How many bytes it has.
#[cfg_attr(target_family = "wasm", no_mangle)]
pub extern "C" fn output_length() -> usize {
    OUTPUT.with_borrow(Vec::len)
}

fn say(text: Vec<u8>) {
    OUTPUT.set(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_answered_and_nothing_is_an_error() {
        let log = b"x[    0.000000] Linux version 6.6.0 (a@b) (gcc) #1\n[    1.000000] Run /init as init process\n";
        input(log.len());
        INPUT.set(log.to_vec());
        assert_eq!(read(1), 0);
        let answer = OUTPUT.with_borrow(|output| String::from_utf8_lossy(output).into_owned());
        assert!(answer.contains("\"text\":\"x: Boot 1"), "{answer}");
        assert_eq!(document(), 0);
        assert!(output_length() > 100 && !output().is_null());
        input(1);
        assert_eq!(read(1), 1);
    }
}
