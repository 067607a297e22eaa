// SPDX-License-Identifier: MIT
//! Definitions in C, by their shape.

use kernelsource::{scan_assembly, scan_c};
use proptest::prelude::*;

fn found(text: &str) -> Vec<(char, String, u32, String)> {
    scan_c(text.as_bytes())
        .into_iter()
        .map(|d| (d.kind.letter(), d.name, d.line, d.detail))
        .collect()
}

fn names(text: &str) -> Vec<String> {
    found(text).into_iter().map(|d| d.1).collect()
}

#[test]
fn a_macro_without_its_argument_defines_nothing() {
    let text = "early_initcall();\nmodule_platform_driver();\nDEFINE_SHOW_ATTRIBUTE();\nlate_initcall(real);\n";
    assert_eq!(names(text), ["real"]);
}

#[test]
fn functions_and_what_is_none() {
    let text = "/* int no(void) { */\nint a(int x);\nstatic int __init\nb(void)\n{\n\tif (x) { c(); }\n}\n\
        __printf(1, 2) void d(const char *f, ...) __acquires(lock) {\n}\nstruct s t = { .f = e(1) };\n";
    assert_eq!(
        found(text),
        [('L', "b".into(), 4, String::new()), ('F', "d".into(), 8, String::new())]
    );
}

#[test]
fn halves_of_a_condition_do_not_upset_the_braces() {
    let text = "void a(void)\n{\n#ifdef X\n\tif (x) {\n#else\n\tif (y) {\n#endif\n\t}\n}\nvoid b(void)\n{\n}\n";
    assert_eq!(names(text), ["a", "b"]);
}

#[test]
fn initcalls_and_drivers() {
    let text = "#define NAME \"toy\"\nstatic struct platform_driver toy_driver = {\n.driver = { .name = NAME, },\n};\n\
        static const struct of_device_id ids[] = { { .compatible = \"x,toy\" }, {} };\n\
        module_platform_driver(toy_driver);\nsubsys_initcall(other);\n";
    assert_eq!(
        found(text),
        [
            ('D', "toy_driver".into(), 2, "toy".into()),
            ('C', "x,toy".into(), 5, String::new()),
            ('L', "toy_driver_init".into(), 6, String::new()),
            ('I', "toy_driver_init".into(), 6, "module_platform_driver".into()),
            ('L', "toy_driver_exit".into(), 6, String::new()),
            ('I', "other".into(), 7, "subsys_initcall".into()),
        ]
    );
}

#[test]
fn system_calls_and_the_files_own_macros() {
    let text = "#define SHOW(n) \\\nstatic int n##_show(void) \\\n{ return 0; }\nSHOW(x)\nSHOW(y);\n\
        SYSCALL_DEFINE1(close, int, fd)\n{\n}\n";
    let found = names(text);
    for name in ["x_show", "y_show", "__x64_sys_close", "__do_sys_close", "sys_close"] {
        assert!(found.contains(&name.to_owned()), "{name} is not in {found:?}");
    }
}

proptest! {
    #[test]
    fn rubbish_does_not_panic(text in "[a-z_(){};=,#\"'/*\\\\ \n\t0-9]{0,400}") {
        scan_c(text.as_bytes());
        scan_assembly(text.as_bytes());
    }

    #[test]
    fn bytes_do_not_panic(text in proptest::collection::vec(any::<u8>(), 0..300)) {
        scan_c(&text);
        scan_assembly(&text);
    }
}
