// SPDX-License-Identifier: MIT
//! Enums whose variants have one name each, stated once.

/// Declares an enum with the name of each variant: that is how it stands in JSON, and what `name()` returns.
macro_rules! named {
    ($(#[$meta:meta])* $vis:vis enum $kind:ident { $($(#[$doc:meta])* $variant:ident = $name:literal,)+ }) => {
        $(#[$meta])*
        $vis enum $kind {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)+
        }

        impl $kind {
            /// Its name, as in JSON.
            $vis fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }
    };
}

pub(crate) use named;
