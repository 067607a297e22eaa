// SPDX-License-Identifier: MIT
//! What `%pS` prints: a function with its offset and module, or a bare address.

/// A function as a log names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Symbol<'a> {
    /// Name without offset, or the address when the kernel has no symbol table.
    pub name: &'a str,
    /// Module without build id.
    pub module: Option<&'a str>,
    /// True when an offset (`+0x0/0x38`) or an address was there; suspend callbacks have neither.
    pub resolved: bool,
}

/// Reads a symbol at the start of `text` and returns what follows.
pub fn read(text: &str) -> Option<(Symbol<'_>, &str)> {
    let text = text.trim_start();
    let end = text.find([' ', '\t']).unwrap_or(text.len());
    let (mut word, mut rest) = text.split_at(end);
    if word.is_empty() {
        return None;
    }
    // 2.6.2x: `0xffffffff81a50e82: net_ns_init+0x0/0x15e()`.
    if let Some(address) = word.strip_suffix(':') {
        if !address.starts_with("0x") {
            return None;
        }
        let after = rest.trim_start();
        let end = after.find([' ', '\t']).unwrap_or(after.len());
        (word, rest) = after.split_at(end);
    }
    let word = word.trim_end_matches('.').trim_end_matches("()");
    let (name, resolved) = match word.split_once('+') {
        Some((name, offset)) => (name, offset.starts_with("0x")),
        None => (word, word.starts_with("0x")),
    };
    if name.is_empty() {
        return None;
    }
    let mut module = None;
    let after = rest.trim_start();
    if let Some(inside) = after.strip_prefix('[') {
        let close = inside.find(']')?;
        // A build id may stand behind the module's name.
        module = inside[..close].split(' ').next().filter(|m| !m.is_empty());
        rest = &inside[close + 1..];
    }
    Some((Symbol { name, module, resolved }, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_all_spellings() {
        let (symbol, rest) = read("init_sd+0x0/0x16b [sd_mod 0123abcd] returned").unwrap();
        assert_eq!(
            (symbol.name, symbol.module, rest),
            ("init_sd", Some("sd_mod"), " returned")
        );
        let (symbol, rest) = read("0xffff80008027c844 @ 1").unwrap();
        assert_eq!(
            (symbol.name, symbol.resolved, rest),
            ("0xffff80008027c844", true, " @ 1")
        );
        let (symbol, _) = read("0xffffffff81a50e82: net_ns_init+0x0/0x15e()").unwrap();
        assert_eq!(symbol.name, "net_ns_init");
        assert!(!read("7-0061+ @ 2804, parent: i2c-7").unwrap().0.resolved);
        let (symbol, _) = read("foo.cold.12+0x0/0x5 @ 1").unwrap();
        assert_eq!(symbol.name, "foo.cold.12");
    }
}
