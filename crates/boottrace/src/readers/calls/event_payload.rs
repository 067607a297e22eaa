// SPDX-License-Identifier: MIT
//! What an event says as text, in the words of its print format.

use super::event_line::{field, Context};
use super::events::Events;
use super::graph_line;
use super::graph_line::Body;
use super::stacks::NO_DEPTH;
use crate::text::number::integer;

impl Events {
    /// An event as text: the name, and what its print format gave.
    pub fn text_event(&mut self, context: &Context, name: &[u8], payload: &[u8]) {
        self.count(context, name);
        let number = |key: &[u8]| field(payload, key).and_then(integer);
        match name {
            b"initcall_level" => self.level(context, field(payload, b"level").unwrap_or(payload)),
            b"initcall_start" => self.initcall_start(context, &initcall_name(payload)),
            b"initcall_finish" => self.initcall_finish(context, &initcall_name(payload), number(b"ret")),
            b"sched_switch" => self.text_switch(context, payload),
            b"irq_handler_entry" => {
                let line = format!("irq {}", number(b"irq").unwrap_or(-1));
                self.interrupt_entry(context, &line, field(payload, b"name").unwrap_or(b""));
            }
            b"irq_handler_exit" => self.interrupt_exit(context, &format!("irq {}", number(b"irq").unwrap_or(-1))),
            b"softirq_entry" => self.interrupt_entry(context, &softirq(payload), softirq(payload).as_bytes()),
            b"softirq_exit" => self.interrupt_exit(context, &softirq(payload)),
            b"console" | b"print" | b"bprint" | b"tracing_mark_write" | b"bputs" => {
                self.suspend_events += u64::from(payload.starts_with(b"SUSPEND START"));
                self.mark(context, name, payload);
            }
            b"suspend_resume" | b"machine_suspend" => self.suspend_events += 1,
            b"funcgraph_entry" | b"funcgraph_exit" => self.graph(context, payload),
            _ => {}
        }
    }

    /// `sched_switch` in the kernel's words, or in those of trace-cmd's plugin (`comm:pid [prio] S ==> comm:pid [prio]`).
    fn text_switch(&mut self, context: &Context, payload: &[u8]) {
        let number = |key: &[u8]| field(payload, key).and_then(integer);
        let kernel = number(b"prev_pid").zip(number(b"next_pid"));
        if let Some((prev, next)) = kernel {
            let comm = |key: &[u8]| field(payload, key).unwrap_or(b"");
            self.switch(context, (prev, comm(b"prev_comm")), (next, comm(b"next_comm")));
            return;
        }
        let side = |text: &'_ [u8]| -> Option<(i64, Vec<u8>)> {
            let text = text.trim_ascii();
            let text = &text[..memchr::memmem::find(text, b" [").unwrap_or(text.len())];
            let colon = memchr::memrchr(b':', text)?;
            Some((integer(&text[colon + 1..])?, text[..colon].to_vec()))
        };
        let sides = memchr::memmem::find(payload, b"==>").map(|at| (side(&payload[..at]), side(&payload[at + 3..])));
        match sides {
            Some((Some(prev), Some(next))) => self.switch(context, (prev.0, &prev.1), (next.0, &next.1)),
            _ => self.skipped.note("sched_switch without tasks", payload),
        }
    }

    /// A function_graph line as `trace-cmd report` prints it.
    fn graph(&mut self, context: &Context, payload: &[u8]) {
        let read = graph_line::parse(payload);
        let Some(task) = self.task(context) else { return };
        let at_ns = Some(context.at_ns);
        match read.body {
            Body::Enter(name) => {
                let name = self.calls.names.intern(name);
                self.calls.enter(task, name, at_ns, NO_DEPTH);
            }
            Body::Leaf(name) => {
                let name = self.calls.names.intern(name);
                self.calls
                    .leaf(task, name, at_ns, read.duration_ns.unwrap_or(0), NO_DEPTH);
            }
            Body::Exit(_) => self.calls.exit(task, at_ns, read.duration_ns, NO_DEPTH),
            _ => self.skipped.note("function_graph entry without a call", payload),
        }
    }
}

/// `func=name+0x0/0x10 [module] ret=0`: the function with its module, without offset and size.
fn initcall_name(payload: &[u8]) -> Vec<u8> {
    let start = memchr::memmem::find(payload, b"func=").map_or(0, |at| at + 5);
    let end = memchr::memmem::find(payload, b" ret=").unwrap_or(payload.len());
    let name = payload.get(start..end).unwrap_or(payload).trim_ascii();
    let Some(plus) = memchr::memmem::find(name, b"+0x") else {
        return name.to_vec();
    };
    let rest = memchr::memchr(b' ', &name[plus..]).map_or(&[][..], |blank| &name[plus + blank..]);
    [&name[..plus], rest].concat()
}

fn softirq(payload: &[u8]) -> String {
    let action = field(payload, b"action").map(|action| action.strip_suffix(b"]").unwrap_or(action));
    format!(
        "softirq {}",
        String::from_utf8_lossy(action.or_else(|| field(payload, b"vec")).unwrap_or(b"?"))
    )
}
