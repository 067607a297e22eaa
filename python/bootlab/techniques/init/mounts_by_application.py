"""The application as init, with the kernel's file systems mounted by it."""

from __future__ import annotations

from bootlab.data import source_folder
from bootlab.model.change import Op, PutProgram, SetParam
from bootlab.model.program import Program
from bootlab.model.verdict import Effect
from bootlab.startup import mounts, scripts
from bootlab.startup.files import Files
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk
from bootlab.techniques.evidence import KernelLog
from bootlab.techniques.tree_technique import TreeTechnique

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

    def applies_to(self, files: Files, context: Context) -> Applies:
        """Yes when something else is init, mounts these, and the system names its application."""
        system = context.system
        if system.application is None:
            return Applies.unknown('the system file does not name the application (application = "/path")')
        if system.init_path in {system.application, _START}:
            return Applies.no("the application is init already", f"{system.init_parameter}={system.init_path}")
        found = _mounts(files, context)
        if not found:
            return Applies.no("no script and no fstab mounts proc, sysfs or devtmpfs", system.init_path)
        return Applies.yes(f"init mounts {len(found)} of them", ", ".join(f"{t} on {p}" for t, p in found))

    def ops(self, files: Files, context: Context) -> tuple[Op, ...]:
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
        pattern = r"Run (\S{1,200}) as init process"
        old, new = KernelLog.of_console(before.recording), KernelLog.of_console(after.recording)
        was, now = old.match(pattern), new.match(pattern)
        if now is None:
            return Effect(False, new.why_silent() or "the kernel did not print its init")
        if now[1] != _START or (was is not None and was[1] == _START):
            return Effect(False, f"the kernel runs: {now.string}")
        if not after.recording.ok:
            return Effect(False, f"{now.string}, and no goal behind it")
        return Effect(True, f"{was.string if was else 'unknown before'} -> {now.string}")


def _mounts(files: Files, context: Context) -> tuple[tuple[str, str], ...]:
    found = mounts.find(files, scripts.find(files, context.system.init_path))
    return tuple(dict.fromkeys((m.type, m.target) for m in found if m.type in _KERNEL_TYPES))
