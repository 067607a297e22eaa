# SPDX-License-Identifier: MIT
# ruff: noqa: E501 - a row of a Markdown table is one line
"""`formats.md`: every file and document that bootlab writes, with its version and history."""

from __future__ import annotations

import ast
import enum
import inspect
import itertools
import re
import sys
import types
import typing
from pathlib import Path

import msgspec

from bootlab.model import contrast, launch, recording, verdict
from bootlab.results import document as results
from reference_pages.markdown import code, table

REPOSITORY = Path(__file__).resolve().parents[2]
_HISTORY: dict[str, dict[int, str]] = {
    "bootlab-recording": {
        1: "first version (0.1.0); still readable: it has no digests, and the recording's notes say so",
        2: "`files`: the SHA-256 of every file of the folder; `digest`: that of the document without it (0.2.0)",
        3: "`meta.launch` (0.2.0); for versions 1 and 2 bootlab takes it from `meta.command`",
    },
    "bootlab-results": {
        1: "first version (0.1.0); still readable: it has no digest, and the notes of what is read say so",
        2: "`digest` (0.3.0)",
    },
    "stamp file": {
        1: "first version (0.1.0)",
        2: "no fixed number of stamps, 160 marks; `lost` instead of `overflow` (0.2.0)",
        3: "`begun_bytes`, `written_bytes`, `failed_bytes`: what QEMU gave to the console's file (0.3.0)",
    },
}
_INTRODUCTION = """\
# Formats

Every document has a `format` and a `version`. bootlab reads the version that it writes, and the older ones that the
[history](#history) calls readable. It refuses any other version with an error that names both. Times are integer nanoseconds and
sizes are bytes; other plain numbers have their unit in their name. `null` means that a value is unknown, or that the event never
came.

Every document that bootlab reads again to decide something has a `digest`: the SHA-256 of its other values as compact JSON with
sorted keys, so that a document may be laid out anew. A document whose digest is wrong, or missing, is refused with a sentence that
names it; what can be made again (boots, facts of kernels) is made again. Digests find damage, not forgery. Files of versions from
before digests are read, and bootlab says that nothing shows whether they are what was written. New keys may appear without a new version. If a key changes its meaning or disappears, the version changes.

| format | where | version | written by |
|---|---|---|---|
| `bootlab-places` | output of `boot` and `try` with several `--place` and `--json`: `places`, of each its name, the documents that bootlab printed there, exit code, error | 1 | `boot --board`, `try --board` |
| `bootlab-recording` | `STORE/boots/KEY/recording.json` | {recording} | every boot |
| `bootlab-results` | `STORE/runs/ID/results.json`, and `results` in the output of `--json` | {results} | every command that boots; a comparison is under `comparison` |
| stamp file | `stamps.bin` in a recording's folder while QEMU runs | {stamps} | the plugin |
| `bootlab-plan` | the file of `bootlab optimize --write`, TOML; output of `optimize --plan --json` | 2 (1: without `seal`, 0.2.0) | `optimize` |
| `bootlab-doctor` | `bootlab doctor --json` | 1 | `doctor` |
| `bootlab-techniques` | `bootlab techniques --json` | 1 | `techniques` |
| `bootlab-trace` | `otherData` of a Chrome-JSON trace (Trace Event Format) | 1 | `report --chrome` |
| `bootlab-function-trace` | output of `trace --json` | 1 | `trace` |
| `bootlab-gate` | output of `gate --json` and `compare --json`: `answer`, and `gate` with every value of both sides, the budgets and what was odd | 1 | `gate`, `compare`, `boot --budget` |
| `bootlab-bisect` | output of `bisect --json`: the culprit, every boot, stages and functions that grew (own instructions as nanoseconds) | 1 | `bisect` |
| `bootlab-boots` | output of `boot --board --repeat --json`: `stages` (a comparison), `boots`: outcome, reason, goal and recording of each | 1 | `boot --board` |
| `bootlab-hand-over` | `changes.json` in `build-system/` of a result: command lines before and after, each kept change with its boots, proof, cost and risk | 1 | `verify` |
| `bootlab-verify` | output of `verify --json`: each change and its parts, `found`, `missing` or `unknown`, and what the boot told | 1 | `verify` |
| `bootlab-history` | output of `history show`, `export` and `prune` with `--json`: `systems`, `trends`, `rows` or `pruned` | 1 | `history` |
| `bootlab-store` | output of `store` with `--json`: `contents`, or `pruned` with `dry_run` | 1 | `cli` |
| `bootlab-where` | output of `where --json` | 1 | `where` |
| `bootlab-trace-difference` | output of `trace --compare --json`: both sides, and each changed function | 1 | `trace` |
| `BLTRACE` | `STORE/boots/KEY/trace.bin`, with the names in `functions.txt`; layout: `qemu-plugin/trace-file.h` | 1 | `trace` |
| `bootlab-kernelinfo` | cache and replay folders: facts of one kernel | 2 (1: without `digest`, 0.2.0) | every boot |
| `bootlab-objects` | `objects.json` beside a kernel that bootlab built: bytes of each object by kind of section; compressed size of each folder on its own | 2 (1: without `digest`, 0.2.0) | `kernel size` |
| `bootlab-kernel-size` | output of `kernel size --json`: rows by subsystem and by option, other kernels of the cache | 1 | `kernel size` |
| `bootlab-kernel` | `kernel.json` beside a kernel that bootlab built; output of `kernel build --json` | 2 (1: without `digest`, 0.2.0) | `kernel`, every boot of such a system |
| `bootlab-loader` | `loader.json` beside a boot loader that bootlab built | 2 (1: without `digest`, 0.2.0) | every boot of such a system |
| `bootlab-analysis` | output of `analyze FILE --json`, document of the crate `boottrace`: [analysis-json.md](analysis-json.md) | 1 | `analyze` |
| `bootlab-advice` | output of `check --json` | 1 | `check` |
| `bootlab-again`, `bootlab-floor`, `bootlab-filesystems`, `bootlab-steps`, `bootlab-xip`, `bootlab-lpj-tests`, `bootlab-lpj-rates`, `bootlab-ladder`, `bootlab-timers-comparison`, `bootlab-board` | output of a comparison with `--json`: head and facts, `rows` (fields `id`, `title`, `ok`, `proved`, `verdict`, `reason`, `proof`, `cmdline`, `key`, and the values of its columns), `left_out` | 2 (1: rows under other names, 0.1.0) | `floor`, `fs`, `steps`, `xip`, `lpj test`, `lpj rates`, `ladder`, `timers compare`, `board compare`, `try --board --both` |
| `bootlab-costs` | a file of costs, as `board calibrate` writes it: [`[console]`, `[medium]`](system-file.md#costs), and `[processor]`: `title`, `arch`, `ghz`, `sources`, `shape`, `figures` (each `is` and `from`), a table like those in `python/bootlab/costs/cores` | 1 | `board calibrate` |
| `bootlab-calibration` | output of `board calibrate --json`: the file of costs, its machine, `notes`, `unknown`, and the tables of the file | 1 | `board calibrate` |
| `bootlab-boardmodel` | output of `board model --json`: coefficients, each boot against its forecast | 1 | `board model` |
| `bootlab-left` | `left.json` in the build cache: what a boot left on its media, with when it was ended | 1 | every later boot |
| `bootlab-lpj` | the file of `lpj read --output`, which `lpj validate --stored` reads | 2 (1: without `digest`, 0.2.0) | `lpj` |
| `bootlab-lpj-validation` | output of `lpj validate --json` | 1 | `lpj` |
| `bootlab-delay` | output of `delay --json`: `risk`, `patch` (`replaced`, `kept`, `text`), and `run` and `results` unless `--dry-run` | 1 | `delay` |
| `bootlab-trim` | `trim.json` in the folder of a trimmed system; output of `rootfs trim --json` | 1 | `rootfs trim` |
| `bootlab-accesses` | the file of `rootfs atime --output`, which `rootfs trim --accesses` reads; `accesses` in the output of `rootfs atime --json` | 2 (1: without `digest`, 0.2.0) | `rootfs atime` |
| `bootlab-analyses` | output of `analyze --json` with several files or a budget | 1 | `analyze` |
| `bootlab-timers` | `timers stress --save`, `timers stress --json`: a run of timerstress and where it ran | 2 (1: without `digest`, 0.2.0) | `timers stress` |
| `bootlab-programs` | `programs.json` of a recording | 1 | every boot of a system with `[programs]` |
| `bootlab-profile` | output of `profile --json`: `profile` as in [analysis](analysis-json.md#application), with `faults`, `read` and `loading` of a system; `advice`: each finding, its line, its cost in nanoseconds | 1 | `profile` |
| `bootlab-conform` | output of `timers conform --json` (with `--opts`: `{{"result": …, "open_posix": …}}`) | 1 | `timers conform` |
| `bootlab-waits` | output of `timers waits --json` | 1 | `timers waits` |
| `bootlab-timerstress` | first line that `timerstress` prints; then one line of JSON per population, whose `kind` says what it is | 1 | `guest/timers` |
| `bootlab-timerconform` | first line that `timerconform` prints; then one line of JSON per assertion | 1 | `guest/conform` |

A Perfetto trace (`report --perfetto`) has Perfetto's own format. [System file](system-file.md) describes system files.

"""
_RECORDING = """\
## Recording

A folder named by the *key*: a digest of everything that can change the boot (command, contents of the artefacts, emulator version,
plugin, goal, check, marks, limits, clock, purpose). `KEY-N` is the N-th repetition, made by `--fresh`, `--repeat` or free mode.

| file | contents |
|---|---|
| `recording.json` | `format`, `version`, `meta`, `marks`, `files` (SHA-256 by name), `digest` (SHA-256 of the other values as compact JSON with sorted keys). If a digest does not match, or the recording is of another key, it is refused; a command that needs the boot sets the folder aside as `STORE/boots/.damaged/KEY`, says so, and boots again. This file is written last: a folder that has it is complete |
| `console.log` | the console's bytes from power-on. If the boot reached its goal and passed its check, it is cut after the line of the goal (or of the check) |
| `stamps.npz` | NumPy arrays of equal length `ends`, `ns`, `insns`: the console's first `ends[i]` bytes were written by time `ns[i]`, after `insns[i]` instructions. Absent without the plugin |
| `emulator.log` | QEMU's own messages |
| `kernel.config` | the configuration of a kernel that bootlab built |
| `loader.config` | the same of a boot loader |
| `programs.json` | the ELF files that `[programs]` put into the tree: path, `role` (`program`, `own`: of the same build, `toolchain`), SHA-256 and `elf`: loader, libraries, flags, relocations by kind, symbols, sizes in bytes |

"""
_META: dict[str, str] = {
    "format": "always `bootlab-recording`",
    "version": "version of the format",
    "key": "digest of everything that can change the boot",
    "system_name": "`name` of the system file",
    "purpose": "`diagnostic`: with agent and `initcall_debug`; its times are never compared with those of other boots",
    "mode": "clock mode",
    "ended_by": "what ended the boot where that is known: `virtual-time`, a limit of virtual time; `outside`, somebody or "
    'something on the host; "" otherwise, and in older recordings',
    "outcome": "how it ended: [exit codes](exit-codes.md#how-a-boot-ends)",
    "reason": "why, for outcomes other than the goal",
    "command": "the emulator's command, word by word, for people; bootlab never reads it",
    "launch": "what was started, as data: [launch](#launch); null if unknown",
    "cmdline": "the kernel command line that was booted",
    "emulator_version": "QEMU's version text",
    "shift": "exact mode: one instruction takes 2^shift ns",
    "processors": "`count`; exact mode with more than one: `mode` (`parallel`: each has a time of its own; `shared`: virtual "
    "time is the sum of what all execute), and of `parallel` `quantum_ns`: how far their times may be apart",
    "accel": "`tcg` or `kvm`",
    "stamped": "the plugin stamped the console",
    "wall_s": "seconds of the host; says nothing about the guest in exact mode",
    "goal_ns": "power-on to goal on `goal_clock`",
    "goal_insns": "instructions executed from power-on to goal",
    "goal_clock": "`virtual`; `printk`: the last kernel stamp before the goal (exact, no plugin); `wall`: the host's clock",
    "console_bytes": "length of `console.log`",
    "artefact_bytes": "size of `kernel` and `initramfs`",
    "artefact_sha256": "digest of `kernel` and `initramfs`",
    "check_groups": "what the functional check's groups captured, per pattern",
    "kernel_patches": "names of the patches that the kernel's source had when bootlab built it",
    "check_missing": "patterns of the check that were not found",
    "known_ns": "a boot without goal or check: up to this virtual time, everything that the machine printed is in `console.log`; null: up to its last byte",
    "stopped": "why a machine without goal or check cannot print any more: its processor halted for ever, or it switched itself off or restarted",
    "host_limit": "the host ended the boot, or may have: a signal from outside, no memory, its clock, a crash of the emulator that did not happen again at the same place. Later runs do not use such a recording, and it makes no variant broken",
    "emulator_waited": "virtual time stood still because QEMU waited for something outside of the machine: never the "
    "system's doing, however often it happens",
    "machine_key": "the digest of what was booted, without goal, check, marks and limits",
    "read_from": "the key of the boot whose console this is, if another goal, check, mark or limit was looked for in it and nothing was booted",
    "end_ns": "the virtual time that stood still when the host gave the boot up",
    "last_initcall": "hang, goal-not-reached: the last initcall called and not returned",
    "lacks": "what this recording does not have, in sentences",
    "notes": "which parts of the machine do not repeat in exact mode, or do not show in it, in sentences",
    "made_at": "when it was recorded, ISO 8601 in UTC; the history takes a noisy boot's date from here",
    "board": "name of the real board that was booted; empty for an emulator",
}
_STAMPS = """
## Stamp file

The plugin writes it into a mapped file while QEMU runs (`qemu-plugin/stamp-file.h`). `python/bootlab/recordings/stamps.py` reads it, and it
is removed when the recording is saved. Little endian, 8-byte words, magic `{magic}`.

```c
{structs}
```

The stamps begin at byte {stamps_at}; only the disk's size limits their number. There are at most {marks} marks; mark {user} is the first
instruction in user space. Console bytes after `console_bytes` have the pending stamp, or none if `lost` is 1.

"""
_AGENT = """
## Agent report

On the console of a diagnostic boot; each line starts with `@BL1 ` (`guest/agent/report.h`):

```text
@BL1 begin
@BL1 file <R|-> <bytes> <path>     R: read since the boot
@BL1 proc <name> <line>             `maps`: a process's number, and a line of its maps; `troubles`: a message of level
                                    warning or graver, behind its level; `date`: seconds since 1970; `route`: an
                                    interface, and `default` or `network`; `listening`: a TCP port
@BL1 log <line>
@BL1 end <number of the lines between begin and end>
```

Bytes that could break a line are written as `%xx`. A report that was cut off or mixed with other output is not *complete*; bootlab then
draws no conclusion that needs a complete report.
"""


def render() -> str:
    """Return the page. Raise LookupError when a field or a version has no text here."""
    constants = _stamp_constants()
    versions = {
        "bootlab-recording": recording.Meta.__struct_defaults__[recording.Meta.__struct_fields__.index("version")],
        "bootlab-results": results.VERSION,
        "stamp file": int(constants["VERSION"]),
    }
    parts = [
        _INTRODUCTION.format(
            recording=versions["bootlab-recording"],
            results=versions["bootlab-results"],
            stamps=versions["stamp file"],
        )
    ]
    fields = set(recording.Meta.__struct_fields__)
    if fields != _META.keys():
        raise LookupError(f"fields and descriptions of meta differ: {sorted(fields ^ _META.keys())}")
    parts += [_RECORDING, "### meta\n\n", _struct(recording.Meta, recording, _META)]
    for struct in (
        launch.Launch,
        launch.Medium,
        launch.InstructionClock,
        launch.LoadedPlugin,
        launch.LoadedFirst,
        launch.InMemory,
    ):
        parts += [f"\n### {_title(struct)}\n\n", _doc(struct), _struct(struct, launch)]
    parts += ["\n### marks\n\n", _doc(recording.Mark), _struct(recording.Mark, recording)]
    parts += [
        "\n## Results\n\nThe file is written again after each trial and each step. It is replaced as a whole, so it is never half-written.\n"
    ]
    for struct, module in _result_structs():
        parts += [f"\n### {struct.__name__}\n\n", _doc(struct), _struct(struct, module)]
    parts.append(_stamp_section(constants))
    parts += ["## History\n\n", _history(versions), _AGENT]
    return "".join(parts)


def _result_structs() -> list[tuple[type[msgspec.Struct], types.ModuleType]]:
    structs = (
        results.RunDocument,
        results.BootSummary,
        results.ApplicabilityData,
        results.StackResult,
        results.StackStepRow,
        results.Rejected,
        results.LeaveOneOut,
        results.FinalSystem,
        results.Artefact,
        contrast.Contrast,
        verdict.Trial,
        verdict.Effect,
        verdict.StageDelta,
    )
    return [(struct, sys.modules[struct.__module__]) for struct in structs]


def _title(struct: type) -> str:
    """Return a struct's name in words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", struct.__name__).lower()


def _doc(struct: type) -> str:
    return f"{inspect.getdoc(struct) or ''}\n\n"


def _struct(struct: type[msgspec.Struct], module: types.ModuleType, texts: dict[str, str] | None = None) -> str:
    described = texts if texts is not None else _attribute_docs(module, struct.__name__)
    hints = typing.get_type_hints(struct)
    rows = [(code(f), _type(hints[f]), described.get(f, "")) for f in struct.__struct_fields__]
    return table(("key", "type", "meaning"), rows)


def _attribute_docs(module: types.ModuleType, name: str) -> dict[str, str]:
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    body = next(n.body for n in tree.body if isinstance(n, ast.ClassDef) and n.name == name)
    docs: dict[str, str] = {}
    for node, following in itertools.pairwise(body):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and isinstance(following, ast.Expr):
            docs[node.target.id] = str(ast.literal_eval(following.value))
    return docs


_JSON_TYPES: dict[object, str] = {
    str: "text",
    int: "integer",
    float: "number",
    bool: "true / false",
    types.NoneType: "null",
}


def _type(hint: object) -> str:  # noqa: PLR0911 - one answer a kind
    """Return what a field is in JSON; a struct of its own by its name."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in {types.UnionType, typing.Union}:
        return " or ".join(_type(each) for each in inner)
    if origin is typing.Literal:
        return " / ".join(code(value) if value else "empty" for value in inner)
    if origin is tuple and inner[-1] is Ellipsis:
        return f"list of {_type(inner[0])}"
    if origin is tuple:
        return f"list of {len(inner)}: {', '.join(_type(each) for each in inner)}"
    if origin is dict:
        return f"table of {_type(inner[1])}"
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return " / ".join(code(one.value) for one in hint)
    return _JSON_TYPES.get(hint) or code(hint.__name__ if isinstance(hint, type) else str(hint))


def _stamp_constants() -> dict[str, str]:
    text = (REPOSITORY / "qemu-plugin" / "stamp-file.h").read_text(encoding="utf-8")
    return dict(re.findall(r"#define BOOTLAB_(?:STAMP_)?(\w+) (\S.*)", text))


def _stamp_section(constants: dict[str, str]) -> str:
    text = (REPOSITORY / "qemu-plugin" / "stamp-file.h").read_text(encoding="utf-8")
    structs = text[text.index("struct bootlab_mark") : text.rindex("_Static_assert")].strip()
    return _STAMPS.format(
        magic=constants["MAGIC"].strip('"'),
        structs=structs,
        stamps_at=constants["STAMPS_AT"],
        marks=constants["MAX_MARKS"],
        user=constants["USER_MARK"],
    )


def _history(versions: dict[str, int]) -> str:
    rows = []
    for name, version in versions.items():
        if set(_HISTORY[name]) != set(range(1, version + 1)):
            raise LookupError(f"the history of {name} must name the versions 1 to {version}")
        rows += [(name, number, text) for number, text in sorted(_HISTORY[name].items())]
    return table(("format", "version", "what changed"), rows)
