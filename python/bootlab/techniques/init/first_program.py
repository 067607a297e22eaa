# SPDX-License-Identifier: MIT
"""The application as the first program, or close behind it."""

from __future__ import annotations

from bootlab.data import source_folder
from bootlab.model.change import Change, Op, PutProgram, SetInitArguments, SetParam
from bootlab.model.program import Program
from bootlab.model.recording import RUN_INIT
from bootlab.model.system import SystemDescription
from bootlab.model.tree import Entry
from bootlab.model.verdict import Effect
from bootlab.startup import mounts, root_switch, scripts
from bootlab.startup.files import TreeFiles
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk, Technique
from bootlab.techniques.evidence import KernelLog
from bootlab.techniques.missing import NO_APPLICATION, NO_LINE_OF_INIT
from bootlab.techniques.tree_technique import TreeTechnique, no_tree

_START = "/application-start"
_KERNEL_TYPES = ("proc", "sysfs", "devtmpfs")
_USUAL = (("proc", "/proc"), ("sysfs", "/sys"), ("devtmpfs", "/dev"))


class MountsByApplication(TreeTechnique):
    """An application that needs /proc, /sys or /dev can mount them itself: three system calls."""

    id = "mounts-by-application"
    title = "Kernel file systems mounted by the application"
    what = (
        "Starts a small static program as init. It mounts proc, sysfs and devtmpfs where the start mounts them, "
        "then becomes the application. The application itself could do the same in its first lines."
    )
    why = "Three system calls instead of a shell, mount commands and a table."
    when_not = (
        "The application needs more from init than these mounts. If it needs none of them, `app-as-init` is enough."
    )
    cost = "The application must reap children and never exit. In the end, put the mounts into its own source."
    risk = Risk(function=("init's other work is not done: no network, no supervision; a crash is a panic"))
    conflicts = ("app-as-init",)
    needs_diagnosis = False
    proof = "recording"
    published = (Published("-20 ms for a minimal initramfs with it", "BeagleBone Black", "Bootlin boot-time training"),)
    references = ("init/main.c: run_init_process()", "mount(2)")

    def applies_to(self, files: TreeFiles, context: Context) -> Applies:
        """Yes when something else is init, mounts these, and the system names its application."""
        system = context.system
        if system.application is None:
            return NO_APPLICATION
        if system.init_path in {system.application, _START}:
            return Applies.no("the application is init already", f"{system.init_parameter}={system.init_path}")
        if (fixed := _fixed_init(system)) is not None:
            return fixed
        found = _mounts(files, context)
        if not found:
            return Applies.no("no script and no fstab mounts proc, sysfs or devtmpfs", system.init_path)
        return Applies.yes(f"init mounts {len(found)} of them", ", ".join(f"{t} on {p}" for t, p in found))

    def ops(self, files: TreeFiles, context: Context) -> tuple[Op, ...]:
        """Propose the program and the parameters that tell it what to do."""
        system = context.system
        if system.application is None:
            return ()
        found = _mounts(files, context) or _USUAL
        source = source_folder("start", "start.c") / "start.c"
        program = Program(path=_START, sources=(str(source),), link="static", cflags=("-Os",), strip=True)
        return (
            PutProgram(program),
            SetParam(system.init_parameter, _START),
            SetParam("START_PROGRAM", system.application),
            SetParam("START_MOUNTS", ",".join(f"{kind}:{place}" for kind, place in found)),
        )

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the kernel's line before it executes init, with the goal reached behind it."""
        old, new = KernelLog.of_console(before.recording), KernelLog.of_console(after.recording)
        was, now = old.match(RUN_INIT), new.match(RUN_INIT)
        if now is None:
            return Effect(False, new.why_silent() or NO_LINE_OF_INIT)
        if now[1] != _START or (was is not None and was[1] == _START):
            return Effect(False, f"the kernel runs: {now.string}")
        if not after.recording.ok:
            return Effect(False, f"{now.string}, but the goal did not follow")
        return Effect(True, f"{was.string if was else 'unknown before'} -> {now.string}")


def _mounts(files: TreeFiles, context: Context) -> tuple[tuple[str, str], ...]:
    found = mounts.find(files, scripts.find(files, context.system.init_path))
    return tuple(dict.fromkeys((m.type, m.target) for m in found if m.type in _KERNEL_TYPES))


_MOST_ARGUMENTS = 31
"""`init/main.c: MAX_INIT_ARGS` is `CONFIG_INIT_ENV_ARG_LIMIT`, 32; the first one is init's path."""


class AppAsInit(Technique):
    """No shell, no scripts, no service manager before the application."""

    id = "app-as-init"
    title = "Application as init"
    stage = "init"
    what = (
        "Sets `rdinit=` (for a mounted root: `init=`) to the application that the system names, and puts its "
        "arguments after `--`."
    )
    why = "Everything that init does before it starts the application delays first use."
    when_not = (
        "The application needs mounted file systems, a network or an environment that init sets up; "
        "or it refuses arguments that it does not know: the kernel hands init every word of the command line that "
        "the kernel does not know."
    )
    cost = "The application must reap children and never exit, or start init itself afterwards."
    risk = Risk(function=("init's work is not done: no mounts, no network, no supervision; a crash is a panic"))
    conflicts = ("mounts-by-application",)
    rests_on = ("initramfs",)
    proof = "recording"
    published = (
        Published("more than 12 s -> about 1 s, with much else", "BeagleBone Black, Qt", "embetrix.com 2017"),
        Published("-20 ms for a minimal initramfs with it", "BeagleBone Black", "Bootlin boot-time training"),
    )
    references = (
        "init/main.c: kernel_init(), run_init_process()",
        "Documentation/admin-guide/kernel-parameters.txt: rdinit=",
    )

    def applies(self, context: Context) -> Applies:
        """Yes when the system names an application in its root tree that is not init yet."""
        system = context.system
        if (fixed := _fixed_init(system)) is not None:
            return fixed
        if system.tree is None:
            return no_tree(system)
        if system.application is None:
            return NO_APPLICATION
        if system.init_path == system.application:
            return Applies.no("the application is init already", f"{system.init_parameter}={system.application}")
        if (why_not := _not_startable(system, system.tree.get(system.application))) is not None:
            return why_not
        line = KernelLog.of_console(context.recording).line(RUN_INIT)
        return Applies.yes("something else is init and starts it", line or f"{system.init_path} runs first")

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose the application; without one there is nothing to propose."""
        system = context.system
        if system.application is None:
            return ()
        ops: tuple[Op, ...] = (SetParam(system.init_parameter, system.application),)
        if system.cmdline.init_args != system.application_arguments:
            # What stands behind `--` was for the init before.
            ops += (SetInitArguments(system.application_arguments),)
        return (Change(technique=self.id, ops=ops),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the kernel's line before it executes init, on the console: a diagnostic boot has another init."""
        old, new = KernelLog.of_console(before.recording), KernelLog.of_console(after.recording)
        was, now = old.match(RUN_INIT), new.match(RUN_INIT)
        wanted = after.system.init_path
        if now is None or (after.system.root is not None and after.system.initramfs is not None):
            # The kernel names the initramfs's own first program, whatever that goes on with.
            return _by_mark(before, after)
        if now[1] != wanted:
            return Effect(False, f"the kernel runs something else: {now.string}")
        if was is not None and was[1] == now[1]:
            return Effect(False, f"it was init before as well: {was.string}")
        return Effect(True, f"{was.string if was else 'unknown before'} -> {now.string}")


def _fixed_init(system: SystemDescription) -> Applies | None:
    """Answer no where the initramfs starts one program of the root whatever `init=` says."""
    switch = root_switch.of_system(system)
    if switch is None:
        return None
    return Applies.no(
        f"the initramfs does not follow init=: {switch.script} starts {switch.program} on the root",
        "the script has to take the program from init= in /proc/cmdline",
    )


def _not_startable(system: SystemDescription, entry: Entry | None) -> Applies | None:
    if len(system.application_arguments) > _MOST_ARGUMENTS:
        given = len(system.application_arguments)
        return Applies.no(f"the kernel hands at most {_MOST_ARGUMENTS} arguments to init", f"{given} are given")
    if entry is None and not any(program.path == system.application for program in system.programs):
        return Applies.no("the application is not in the root tree", f"application = {system.application}")
    if entry is not None and entry.kind == "file" and not entry.mode & 0o111:
        return Applies.no("the application is not executable", f"mode {entry.mode:o} of {system.application}")
    return None


def _by_mark(before: Evidence, after: Evidence) -> Effect:
    # Where the console is quiet: the scripts' mark that is never set any more although the goal came.
    scripts = before.recording.mark("rc-scripts")
    if scripts is None or not after.recording.ok:
        return Effect(False, KernelLog.of_console(after.recording).why_silent() or NO_LINE_OF_INIT)
    if after.recording.mark("rc-scripts") is not None:
        return Effect(False, f"the scripts still run: {scripts.source}")
    return Effect(True, f"the goal came and the scripts never ran: {scripts.source}")


TECHNIQUES = (
    MountsByApplication(),
    AppAsInit(),
)
