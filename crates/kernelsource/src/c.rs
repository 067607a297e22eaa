// SPDX-License-Identifier: MIT
//! Finds definitions in C by their shape: a name and a bracket before a brace, outside every other brace.

use std::collections::HashMap;

use crate::definition::{Definition, Kind};
use crate::generated::{exception_entry, from_macro, system_call};
use crate::local_macro::LocalMacro;
use crate::token::{Token, Tokens};

/// Words before a bracket that are no function's name.
const ATTRIBUTES: &[&str] = &[
    "__attribute__",
    "__acquires",
    "__releases",
    "__must_hold",
    "__printf",
    "__scanf",
    "__section",
    "__aligned",
    "__alloc_size",
    "__cond_acquires",
    "__no_sanitize",
    "__nonnull",
    "__target",
    "__diag",
    "__counted_by",
    "__realloc_size",
    "__malloc",
    "__asm__",
    "asm",
    "__typeof__",
    "typeof",
    "__declspec",
    "_Static_assert",
    "static_assert",
    "if",
    "while",
    "for",
    "switch",
    "EXPORT_SYMBOL",
    "EXPORT_SYMBOL_GPL",
    "EXPORT_SYMBOL_NS_GPL",
    "MODULE_LICENSE",
    "KBUILD_MODNAME",
];
const MAX_HEAD: usize = 400;
const MAX_MACROS: usize = 2_000;
const MAX_DEPTH: u32 = 3;

struct Scanner<'o> {
    out: &'o mut Vec<Definition>,
    macros: HashMap<String, LocalMacro>,
    texts: HashMap<String, String>,
    depth: u32,
    base_line: u32,
}

/// Everything that a C file defines, as far as its text tells.
pub fn scan_c(text: &[u8]) -> Vec<Definition> {
    let mut out = Vec::new();
    let mut scanner = Scanner {
        out: &mut out,
        macros: HashMap::new(),
        texts: HashMap::new(),
        depth: 0,
        base_line: 0,
    };
    scanner.scan(text);
    out
}

/// A call-like group outside braces: `name(arguments)`.
struct Group {
    name: String,
    arguments: Vec<String>,
    line: u32,
}

#[derive(Default)]
struct Head {
    groups: Vec<Group>,
    words: Vec<String>,
    assigned: bool,
    size: usize,
}

impl Scanner<'_> {
    fn scan(&mut self, text: &[u8]) {
        let mut head = Head::default();
        let mut braces = 0usize;
        let mut conditions: Vec<usize> = Vec::new();
        let mut in_brackets: Option<(usize, Group, String)> = None;
        let mut previous: Option<(String, u32)> = None;
        // Inside braces: what the last words were, for `.compatible = "x"` and `.name = "x"`.
        let mut member: Vec<u8> = Vec::new();
        let mut driver: Option<(String, u32)> = None;
        for placed in Tokens::new(text) {
            let line = self.line(placed.line);
            if let Token::Directive(directive) = placed.token {
                self.directive(directive, line, &mut braces, &mut conditions);
                continue;
            }
            // Kernel style: what closes in the first column closes everything. It mends what #if tore apart.
            if placed.first && placed.token == Token::Mark(b'}') && self.depth == 0 && braces > 0 {
                braces = 1;
            }
            if braces > 0 {
                match placed.token {
                    Token::Mark(b'{') => braces += 1,
                    Token::Mark(b'}') => {
                        braces -= 1;
                        if braces == 0 {
                            driver = None;
                            if !head.assigned {
                                head = Head::default();
                                previous = None;
                            }
                        }
                    }
                    Token::Word(word) if head.assigned => {
                        if member == b"name=" {
                            let found = self.texts.get(&text_of(word)).cloned();
                            self.driver(&mut driver, found);
                        }
                        member = word[..word.len().min(32)].to_vec();
                    }
                    Token::Mark(b'=') if head.assigned => member.push(b'='),
                    Token::Text(value) if head.assigned => {
                        if member == b"compatible=" {
                            self.add(Kind::Compatible, text_of(value), line, String::new());
                        } else if member == b"name=" {
                            self.driver(&mut driver, Some(text_of(value)));
                        }
                        member.clear();
                    }
                    _ => member.clear(),
                }
                continue;
            }
            if let Some((level, group, argument)) = in_brackets.as_mut() {
                match placed.token {
                    Token::Mark(b'(') => {
                        *level += 1;
                        argument.push('(');
                    }
                    Token::Mark(b')') if *level == 1 => {
                        group.arguments.push(argument.trim().to_owned());
                        if let Some((_, group, _)) = in_brackets.take() {
                            head.groups.push(group);
                        }
                    }
                    Token::Mark(b')') => {
                        *level -= 1;
                        argument.push(')');
                    }
                    Token::Mark(b',') if *level == 1 => {
                        group.arguments.push(argument.trim().to_owned());
                        argument.clear();
                    }
                    // A brace inside brackets outside functions: a bracket was lost.
                    Token::Mark(b'{') if placed.first => {
                        in_brackets = None;
                        head = Head::default();
                        braces = 1;
                    }
                    Token::Mark(mark) => push(argument, &[mark]),
                    Token::Word(word) => {
                        if argument.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
                            argument.push(' ');
                        }
                        push(argument, word);
                    }
                    Token::Text(value) => push(argument, value),
                    Token::Directive(_) => {}
                }
                continue;
            }
            match placed.token {
                Token::Word(word) => {
                    let word = text_of(word);
                    previous = Some((word.clone(), line));
                    if head.size < MAX_HEAD {
                        head.size += 1;
                        head.words.push(word);
                    }
                }
                Token::Mark(b'(') => {
                    let (name, at) = previous.take().unwrap_or((String::new(), line));
                    let group = Group {
                        name,
                        arguments: Vec::new(),
                        line: at,
                    };
                    in_brackets = Some((1, group, String::new()));
                }
                Token::Mark(b'{') => {
                    if head.assigned {
                        driver = driver_name(&head.words).map(|name| (name, line));
                        member.clear();
                    } else {
                        self.function(&head);
                    }
                    braces = 1;
                }
                Token::Mark(b'=') => head.assigned = true,
                Token::Mark(b';') => {
                    self.statement(&head);
                    head = Head::default();
                    previous = None;
                }
                _ => previous = None,
            }
        }
        self.statement(&head);
    }

    fn line(&self, line: u32) -> u32 {
        if self.depth == 0 {
            line
        } else {
            self.base_line
        }
    }

    fn add(&mut self, kind: Kind, name: String, line: u32, detail: String) {
        let plain = !name.is_empty() && name.len() < 200 && !name.as_bytes()[0].is_ascii_digit();
        if plain {
            self.out.push(Definition {
                kind,
                name,
                line,
                detail,
            });
        }
    }

    fn driver(&mut self, driver: &mut Option<(String, u32)>, name: Option<String>) {
        if let (Some(name), Some((structure, line))) = (name, driver.take()) {
            self.add(Kind::Driver, structure, line, name);
        }
    }

    /// A brace opens outside all others: the last bracket that is no attribute belongs to the function's name.
    fn function(&mut self, head: &Head) {
        let Some(at) = head
            .groups
            .iter()
            .rposition(|group| !group.name.is_empty() && !ATTRIBUTES.contains(&group.name.as_str()))
        else {
            return;
        };
        self.macro_calls(&head.groups[..at]);
        let group = &head.groups[at];
        let made = [
            system_call(&group.name, &group.arguments),
            exception_entry(&group.name, &group.arguments),
        ]
        .concat();
        if !made.is_empty() {
            for name in made {
                self.add(Kind::Function, name, group.line, String::new());
            }
            return;
        }
        let local = head.words.iter().any(|word| word == "static");
        let kind = if local { Kind::Local } else { Kind::Function };
        self.add(kind, group.name.clone(), group.line, String::new());
    }

    /// A semicolon outside braces: a declaration, or calls of macros.
    fn statement(&mut self, head: &Head) {
        if !head.assigned {
            self.macro_calls(&head.groups);
        }
    }

    fn macro_calls(&mut self, groups: &[Group]) {
        for group in groups {
            if from_macro(&group.name, &group.arguments, group.line, self.out) || self.depth >= MAX_DEPTH {
                continue;
            }
            let Some(local) = self.macros.get(&group.name) else {
                continue;
            };
            let text = local.expanded(&group.arguments);
            let before = std::mem::replace(&mut self.base_line, group.line);
            self.depth += 1;
            self.scan(text.as_bytes());
            self.depth -= 1;
            self.base_line = before;
        }
    }

    fn directive(&mut self, text: &[u8], line: u32, braces: &mut usize, conditions: &mut Vec<usize>) {
        let text = text.trim_ascii_start();
        if text.starts_with(b"if") {
            conditions.push(*braces);
        } else if text.starts_with(b"el") {
            // The other half starts with the braces that were open at the `#if`.
            *braces = conditions.last().copied().unwrap_or(*braces);
        } else if text.starts_with(b"endif") {
            conditions.pop();
        } else if let Some(rest) = text.strip_prefix(b"include") {
            let rest = String::from_utf8_lossy(&rest[..rest.len().min(300)]);
            let name = rest.trim().trim_start_matches(['"', '<']).split(['"', '>']).next();
            if let Some(name) = name.filter(|name| !name.is_empty()) {
                self.out.push(Definition {
                    kind: Kind::Include,
                    name: name.to_owned(),
                    line,
                    detail: String::new(),
                });
            }
        } else if let Some(rest) = text.strip_prefix(b"define") {
            self.define(&String::from_utf8_lossy(rest));
        }
    }

    fn define(&mut self, text: &str) {
        let text = text.trim_start();
        let end = text
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        if let Some(inside) = rest.strip_prefix('(') {
            let Some((parameters, body)) = inside.split_once(')') else {
                return;
            };
            let makes = body.contains('{') || body.contains("_init") || body.contains("driver");
            if makes && self.macros.len() < MAX_MACROS {
                let parameters = parameters
                    .split(',')
                    .map(|p| p.trim_matches(|c: char| c.is_whitespace() || c == '\\').to_owned());
                self.macros.insert(
                    name.to_owned(),
                    LocalMacro {
                        parameters: parameters.collect(),
                        body: body.replace("\\\n", "\n"),
                    },
                );
            }
        } else if let Some(value) = rest.trim().strip_prefix('"').and_then(|v| v.split('"').next()) {
            self.texts.insert(name.to_owned(), value.to_owned());
        }
    }
}

/// The structure's name in `static struct platform_driver foo = {`.
fn driver_name(words: &[String]) -> Option<String> {
    let at = words.iter().position(|word| word == "struct")?;
    let kind = words.get(at + 1)?;
    let is_driver = kind.ends_with("_driver") || kind == "driver";
    is_driver.then(|| words.last().cloned())?
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).into_owned()
}

fn push(argument: &mut String, bytes: &[u8]) {
    if argument.len() < 2_000 {
        argument.push_str(&String::from_utf8_lossy(&bytes[..bytes.len().min(200)]));
    }
}
