// SPDX-License-Identifier: MIT
//! A macro that a file defines for itself.

/// Its parameters and its body.
pub(crate) struct LocalMacro {
    pub(crate) parameters: Vec<String>,
    pub(crate) body: String,
}

impl LocalMacro {
    /// A macro's body with its arguments put in, and `##` done.
    pub(crate) fn expanded(&self, arguments: &[String]) -> String {
        let mut out = String::with_capacity(self.body.len());
        let mut rest = self.body.as_str();
        while let Some(start) = rest.find(|c: char| c.is_ascii_alphabetic() || c == '_') {
            out.push_str(&rest[..start]);
            rest = &rest[start..];
            let end = rest
                .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .unwrap_or(rest.len());
            let word = &rest[..end];
            match self.parameters.iter().position(|parameter| parameter == word) {
                Some(at) => out.push_str(arguments.get(at).map_or("", String::as_str)),
                None => out.push_str(word),
            }
            rest = &rest[end..];
            if out.len() > 100_000 {
                break;
            }
        }
        out.push_str(rest);
        let mut joined = String::with_capacity(out.len());
        for (number, part) in out.split("##").enumerate() {
            if number > 0 {
                joined.truncate(joined.trim_end().len());
                joined.push_str(part.trim_start());
            } else {
                joined.push_str(part);
            }
        }
        joined
    }
}
