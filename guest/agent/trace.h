// SPDX-License-Identifier: MIT
/* The kernel's function tracer: stops it and reports what it has recorded. */
#ifndef BOOTLAB_TRACE_H
#define BOOTLAB_TRACE_H

/* To be called before anything else is reported: what the agent does is no part of the boot. */
void trace_stop(const char *tracing);

/* Report up to `max_bytes` of the trace's text as "trace" lines, and what the kernel says it lost as "proc tracestat". */
void trace_report(const char *tracing, unsigned long max_bytes);

#endif
