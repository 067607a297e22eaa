// SPDX-License-Identifier: MIT
//! KFI logs, kd reports, show_delta, event text and perf script: golden pairs.

use boottrace::readers::calls::perf_script::Weight;
use boottrace::readers::calls::stacks::Calls;
use boottrace::readers::calls::tables::{functions, FunctionRow, SortBy};
use boottrace::readers::calls::{events_text, kd, kfi, perf_script, show_delta};

fn row(calls: &Calls, name: &str) -> FunctionRow {
    let rows = functions(calls, SortBy::Time);
    rows.into_iter()
        .find(|row| row.function == name)
        .unwrap_or_else(|| panic!("no {name}"))
}

const KFI: &str = "Kernel Instrumentation Run ID 3\n\nLogging started at 100 usec by entry to function start_kernel\n\
Logging stopped at 9100 usec by entry to function to_userspace\n\n Entry      Delta      PID            Function                    Called At\n\
--------   --------   -----   -------------------------   -------------------------\n\
      1          0       0                start_kernel   L6+0x0\n\
     10       1000       0                   time_init   start_kernel+0x10\n\
     10        400       0                   read_cmos   time_init+0x1\n\
    410        600       0                    read_tsc   time_init+0x9\n\
   2000       5000       1                 wait_for_io   init+0x10\n\
   2000       5000       1                    schedule   wait_for_io+0x20\n\
   2100       3000       7                   do_worker   kthread+0x1\n\
   2200        100      -1                   timer_irq   do_IRQ+0x3\n\
   8000         -2       1                  stack_info   x+0x1\n\
   9000          0       1                to_userspace   init+0xa6\n\
no row at all\n";

#[test]
fn kfi_nests_by_time_and_caller_and_spares_schedule() {
    assert_eq!(kfi::detect(KFI.as_bytes()), Some(1.0));
    let log = kfi::parse(KFI.as_bytes(), None).expect("a slice");
    assert_eq!(
        (log.rows, log.exit_not_seen, log.stack_watch, log.skipped.total()),
        (9, 2, 1, 1)
    );
    assert_eq!(
        (log.header.run_id, log.header.stop_trigger.as_str()),
        (Some(3), "entry to function to_userspace")
    );
    let init = row(&log.calls, "time_init");
    assert_eq!(
        (init.elapsed_ns, init.self_ns, init.max_sub.as_str()),
        (1_000_000, 0, "read_tsc")
    );
    let schedule = row(&log.calls, "schedule");
    // Switched out from 2100 on; its rest, up to 7000, was others' time.
    assert_eq!(
        (schedule.elapsed_ns, schedule.off_cpu_ns, schedule.self_ns),
        (5_000_000, 4_900_000, 100_000)
    );
    assert_eq!(
        row(&log.calls, "do_worker").self_ns,
        2_900_000,
        "the interrupt is not its own time"
    );
    assert_eq!(row(&log.calls, "start_kernel").open, 1);
}

#[test]
fn kd_tables_of_any_columns_and_traces() {
    let all = "Function                  Count Time     Average  Local    Max-sub                   Ms count\n\
               ------------------------- ----- -------- -------- -------- ------------------------- --------\n\
               do_probe                     31   553025    17839       68 ide_delay_50ms                 78\n\
               delay_tsc                   156   619322     3970   619322\n";
    assert_eq!(kd::detect(all.as_bytes()), Some(0.95));
    let report = kd::parse(all.as_bytes()).expect("a slice");
    assert_eq!(report.rows[0].max_sub.as_deref(), Some("ide_delay_50ms"));
    assert_eq!(
        (report.rows[0].max_sub_count, report.rows[1].local_us),
        (Some(78), Some(619_322))
    );
    let swapped =
        "Local    Function                  Count\n-------- ------------------------- -----\n      -5 f   2\nbad row\n";
    let report = kd::parse(swapped.as_bytes()).expect("a slice");
    assert_eq!(
        (report.rows[0].local_us, report.rows[0].count, report.skipped.total()),
        (Some(-5), Some(2), 1)
    );
    let trace = " Entry      Duration   Local       Pid    Trace\n---------- ---------- ---------- ------- --------------\n\
                 \x20       4      20428        209      33 do_fork\n       18       2643         84      33 |  copy_process\n\
                 \x20     256          8          6      -1 |  !  profile_tick\n";
    let report = kd::parse(trace.as_bytes()).expect("a slice");
    assert_eq!(
        (report.trace.len(), report.trace[1].depth, report.trace[2].interrupt),
        (3, 1, true)
    );
}

#[test]
fn show_delta_lines() {
    let text = "[13.206492 < 13.206492 >]  Linux version 2.4\n[    0.000003 < -0.100000 >] back\nplain\n";
    let deltas = show_delta::parse(text.as_bytes()).expect("a slice");
    assert_eq!(
        (deltas.lines[0].at_ns, deltas.lines[0].text.as_str()),
        (13_206_492_000, "Linux version 2.4")
    );
    assert_eq!((deltas.lines[1].delta_ns, deltas.skipped.total()), (-100_000_000, 1));
    assert!(show_delta::detect(text.as_bytes()).is_some() && show_delta::detect(b"[ 1.0] x").is_none());
}

#[test]
fn initcall_events_pair_by_task_and_overlap() {
    let text = "# tracer: nop\n#\n\
        \x20 swapper/0-1   [000] .....     0.100000: initcall_level: level=device\n\
        \x20 swapper/0-1   [000] .....     0.100001: initcall_start: func=a_init+0x0/0x20\n\
        \x20    insmod-90  [001] .....     0.100002: initcall_start: func=m_init+0x0/0x20 [m]\n\
        \x20 swapper/0-1   [000] .....     0.100501: initcall_finish: func=a_init+0x0/0x20 ret=-19\n\
        \x20    insmod-90  [001] .....     0.200002: initcall_finish: func=m_init+0x0/0x20 [m] ret=0\n\
        \x20    insmod-90  [001] .....     0.200003: initcall_finish: func=ghost+0x0/0x20 ret=0\n\
        \x20 swapper/0-1   [000] d..1.     0.300000: irq_handler_entry: irq=16 name=uhci\n\
        \x20 swapper/0-1   [000] d..1.     0.300020: irq_handler_exit: irq=16 ret=handled\n\
        \x20 swapper/0-1   [000] d..1.     0.310000: sched_switch: prev_comm=swapper/0 prev_pid=1 prev_prio=1 prev_state=S ==> next_comm=kthreadd next_pid=2 next_prio=1\n\
        \x20  kthreadd-2   [000] d..1.     0.320000: sched_switch: prev_comm=kthreadd prev_pid=2 prev_prio=1 prev_state=S ==> next_comm=swapper/0 next_pid=1 next_prio=1\n\
        \x20 swapper/0-1   [000] d..1.     0.330000: console: [    0.330000] Run /init as init process\n\
        \x20 swapper/0-1   [000] d..1.     0.340000: do_sys_open <-sys_open\n\
        CPU:1 [LOST 7 EVENTS]\nrubbish\n";
    let trace = events_text::parse(text.as_bytes(), None).expect("a slice");
    let events = &trace.events;
    let spans: Vec<_> = events
        .initcalls
        .iter()
        .map(|c| (c.function.as_str(), c.start_ns, c.end_ns, c.returned))
        .collect();
    assert_eq!(
        spans,
        [
            ("a_init", 100_001_000, Some(100_501_000), Some(-19)),
            ("m_init [m]", 100_002_000, Some(200_002_000), Some(0))
        ]
    );
    assert_eq!(events.initcalls[0].level.as_deref(), Some("device"));
    assert_eq!(events.interrupts["irq 16"].total_ns, 20_000);
    assert_eq!(events.tasks[&2].run_ns, 10_000_000);
    assert_eq!(events.marks[0].text, "[    0.330000] Run /init as init process");
    assert_eq!((events.counts["function"], events.calls.mismatches.lost_events), (1, 7));
    assert_eq!(events.skipped.reasons["initcall end without a start"], 1);
    assert_eq!(events.skipped.reasons["no task, processor and stamp"], 1);
    assert_eq!(events.suspend_events, 0);
    let timeline = events.timeline("t");
    assert_eq!(
        timeline
            .tracks
            .iter()
            .filter(|track| track.name.starts_with("initcalls"))
            .count(),
        2
    );
}

#[test]
fn perf_script_makes_a_tree() {
    let text = "swapper     0 [000]     1.000000:     250000 cpu-clock:pppH: \n\
        \tffffffff81000010 delay_tsc+0x10 ([kernel.kallsyms])\n\
        \tffffffff81000020 probe+0x20 ([kernel.kallsyms])\n\n\
        my app    12/13  [001]     1.000250:     250000 cpu-clock:pppH: \n\
        \t           4010 [unknown] (/bin/app)\n\n\
        swapper     0 [000]     1.000500:     250000 cpu-clock:pppH: \n\
        \tffffffff81000020 probe+0x20 ([kernel.kallsyms])\n";
    assert_eq!(perf_script::detect(text.as_bytes()), Some(0.9));
    let samples = perf_script::parse(text.as_bytes()).expect("a slice");
    assert_eq!((samples.weight, samples.skipped.total()), (Weight::Nanoseconds, 0));
    assert_eq!(samples.counts["cpu-clock:pppH"], 3);
    let probe = row(&samples.calls, "probe");
    assert_eq!((probe.elapsed_ns, probe.self_ns), (500_000, 250_000));
    assert_eq!(row(&samples.calls, "[unknown] (/bin/app)").self_ns, 250_000);
    assert_eq!(row(&samples.calls, "my app").count, 1);
}

/// `perf script -F comm,pid,event,ip,sym`: no time; frames that lost their indentation.
#[test]
fn perf_script_without_times() {
    let text = "# cmdline : perf record -F 99\n\
        java 19983 cycles:\n\
        ffffffff8103d0ca native_write_msr_safe ([kernel.kallsyms])\n\
        ffffffff810275f1 intel_pmu_enable_all ([kernel.kallsyms])\n\n\
        my app 12/13   2500 cycles:u: \n\
        \t             69b main (/root/noploop)\n\n";
    assert_eq!(perf_script::detect(text.as_bytes()), Some(0.9));
    let samples = perf_script::parse(text.as_bytes()).expect("a slice");
    assert_eq!((samples.skipped.total(), samples.calls.bounds_ns), (0, None));
    assert_eq!(row(&samples.calls, "native_write_msr_safe").self_ns, 1);
    assert_eq!(row(&samples.calls, "main").self_ns, 2500);
    assert_eq!(row(&samples.calls, "my app").count, 1);
}

/// Found by fuzzing: sums of numbers that the trace itself gives.
#[test]
fn numbers_at_the_end_of_their_range_saturate() {
    let lost = "CPU:1 [LOST 18446744073709551615 EVENTS]\n".repeat(2);
    let events = events_text::parse(lost.as_bytes(), None).expect("a slice");
    assert_eq!(events.events.calls.mismatches.lost_events, u64::MAX);
    let graph = boottrace::readers::calls::function_graph::parse(lost.as_bytes(), None).expect("a slice");
    assert_eq!(graph.calls.mismatches.lost_events, u64::MAX);
    // Stamps that go to the end of the scale and back, three times.
    let there_and_back = "a-1 [000] d..1. 0.1: sched_switch: prev_comm=a prev_pid=1 ==> next_comm=a next_pid=1\n\
        a-1 [000] d..1. 0.1: irq_handler_entry: irq=1 name=x\n\
        a-1 [000] d..1. 9999999999.9: irq_handler_exit: irq=1 ret=handled\n\
        a-1 [000] d..1. 9999999999.9: sched_switch: prev_comm=a prev_pid=1 ==> next_comm=a next_pid=1\n";
    let events = events_text::parse(there_and_back.repeat(4).as_bytes(), None)
        .expect("a slice")
        .events;
    assert_eq!(
        (events.tasks[&1].run_ns, events.interrupts["irq 1"].total_ns),
        (u64::MAX, u64::MAX)
    );
}
