# SPDX-License-Identifier: MIT
"""BusyBox built another way."""

from __future__ import annotations

from bootlab.model.change import DropFiles, Op, SetBusybox
from bootlab.model.verdict import Effect
from bootlab.startup import applets, scripts
from bootlab.startup.files import TreeFiles
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk
from bootlab.techniques.init.start_scripts import FEWER_FORKS, processes
from bootlab.techniques.missing import NO_PROCESS_COUNT
from bootlab.techniques.tree_technique import TreeTechnique

_QUOTED_MAX = 8


class BusyboxApplets(TreeTechnique):
    """A distribution's BusyBox holds every command there is; a product's start uses a few of them."""

    id = "busybox-applets"
    ends = ("do_populate_rootfs", "populate_rootfs")
    title = "BusyBox reduced to the applets used"
    what = (
        "Builds BusyBox from Debian's source with only the applets that start scripts, init's table, the check and "
        "the keep list name, or that the diagnostic boot saw started. The shell loses the parts that only people "
        "use, and links to other applets are removed."
    )
    why = (
        "The binary is loaded, unpacked and mapped. A third of the size means a third of the bytes and fewer page "
        "faults."
    )
    when_not = "Commands are needed later, by hand or when something fails: list their links in `keep`."
    cost = "BusyBox is built together with the product: half a minute, and again when a script uses another command."
    risk = Risk(
        function=("commands that are needed only later are missing; only goal and check are proved"),
        debuggability="a shell on the console has few commands and no line editing",
    )
    published = (
        FEWER_FORKS,
        Published(
            "-350 ms and -78 % of the system's size by applications with fewer options",
            "BeagleBone Black",
            "Bootlin boot-time training",
        ),
    )
    references = ("busybox: scripts/gen_build_files.sh, include/applets.src.h", "busybox: Config.in")

    def applies_to(self, files: TreeFiles, context: Context) -> Applies:
        """Yes when the tree's BusyBox holds applets that nothing uses."""
        found = applets.find(files)
        if found is None:
            return Applies.no("there is no BusyBox in the tree", "/bin/sh, /bin/busybox")
        used = _use(context, files, found)
        if not used.applets:
            return Applies.no("nothing in the tree uses an applet", found.path)
        spare = len(found.applets) - len(used.applets)
        if spare <= 0:
            return Applies.no("every applet is used", found.path)
        words = f"{len(used.applets)} of {len(found.applets)} applets of {found.path} are used"
        if context.diagnosis is None:
            return Applies.unknown(f"{words} by the scripts' words; a diagnostic boot sees what else is started")
        if used.unknown:
            words += f"; not recognised by name: {'; '.join(used.unknown[:2])}"
        return Applies.yes(words, ", ".join(used.applets[:_QUOTED_MAX]) + " …")

    def ops(self, files: TreeFiles, context: Context) -> tuple[Op, ...]:
        """Propose the build, and to drop the links that would lead to nothing."""
        found = applets.find(files)
        if found is None:
            return ()
        used = _use(context, files, found)
        if not used.applets or not found.applets:
            return ()
        links = (p for name, paths in found.links.items() if name in found.applets - set(used.applets) for p in paths)
        dead = tuple(sorted(links))
        return (SetBusybox(found.path, used.applets, used.options), *((DropFiles(dead),) if dead else ()))

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the size of the program in the booted system."""
        entries = dict(after.system.tree.entries) if after.system.tree is not None else {}
        path = next((p for p, e in entries.items() if e.busybox is not None and e.busybox.applets), None)
        if path is None:
            return Effect(False, "the system has no BusyBox that is built with chosen applets")
        was, now = size_of(before, path), size_of(after, path)
        if was is None or now is None:
            return Effect(False, f"only diagnostic boots of both show the size of {path} in the booted system")
        build = entries[path].busybox
        count = len(build.applets) if build is not None else 0
        return Effect(now < was, f"{path} {was} -> {now} bytes in the booted system, {count} applets")


def size_of(booted: Evidence, path: str) -> int | None:
    """Return a file's size as the diagnostic boot saw it; None when it did not."""
    files = booted.diagnosis.files if booted.diagnosis is not None else ()
    return next((f.size_bytes for f in files if f.path == path and f.read), None)


def _use(context: Context, files: TreeFiles, found: applets.Busybox) -> applets.Use:
    start = scripts.find(files, context.system.init_path)
    return applets.use(files, found, context.system, start, context.diagnosis)


class BusyboxShell(TreeTechnique):
    """A build of BusyBox with `options`; `built_without` says of which of them packaged ones are built without."""

    options: tuple[tuple[str, str], ...]
    built_without: str

    def applies_to(self, files: TreeFiles, context: Context) -> Applies:  # noqa: ARG002 - the tree tells all
        """Yes when BusyBox is the shell; whether it runs applets itself does not stand in the binary."""
        found = applets.find(files)
        if found is None:
            return Applies.no("there is no BusyBox in the tree", "/bin/sh, /bin/busybox")
        if files.real("/bin/sh") != found.path:
            return Applies.no("BusyBox is not the shell", f"/bin/sh leads to {files.real('/bin/sh')}")
        entry = files.entries[found.path]
        if entry.busybox is not None and set(self.options) <= set(entry.busybox.options):
            return Applies.no("it is built so already", found.path)
        return Applies.yes(f"BusyBox is the shell; {self.built_without}", found.path)

    def ops(self, files: TreeFiles, context: Context) -> tuple[Op, ...]:
        """Propose the build; which applets it holds is left as it is."""
        del context
        found = applets.find(files)
        return (SetBusybox(found.path, options=self.options),) if found else ()


class BusyboxNofork(BusyboxShell):
    """`mkdir`, `test`, `cat`: applets that end in microseconds, in a process that takes much longer to make."""

    id = "busybox-nofork"
    title = "BusyBox's shell runs applets itself"
    options = (("FEATURE_PREFER_APPLETS", "y"), ("FEATURE_SH_STANDALONE", "y"), ("FEATURE_SH_NOFORK", "y"))
    built_without = "no distribution builds it with FEATURE_SH_NOFORK"
    what = (
        "Builds BusyBox with FEATURE_PREFER_APPLETS, FEATURE_SH_STANDALONE and FEATURE_SH_NOFORK. Its shell then "
        "uses an applet without searching for a program of that name. It runs most applets in a forked process "
        "without exec, and those that BusyBox marks as NOFORK (mkdir, ln, rm, cat, dirname, echo, …) in its own "
        "process."
    )
    why = "A fork copies page tables, and an exec discards them again. An applet that is a function call needs neither."
    when_not = "Programs in the tree must take precedence over applets of the same name."
    cost = "BusyBox is built together with the product."
    risk = Risk(
        function=("BusyBox marks FEATURE_SH_NOFORK as experimental; an applet that leaks memory leaks it in the shell")
    )
    conflicts = ("busybox-standalone",)
    published = (FEWER_FORKS,)
    references = ("busybox: docs/nofork_noexec.txt", "busybox: shell/Config.in: FEATURE_SH_NOFORK")

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the number of processes that the boot made."""
        was, now = processes(before), processes(after)
        if was is None or now is None:
            return NO_PROCESS_COUNT
        return Effect(now < was, f"processes made up to the report, kernel threads included: {was} -> {now}")


class BusyboxStandalone(BusyboxShell):
    """The half of `busybox-nofork` that BusyBox does not call experimental: every applet keeps its own process."""

    id = "busybox-standalone"
    title = "BusyBox's shell starts applets without exec"
    options = (("FEATURE_PREFER_APPLETS", "y"), ("FEATURE_SH_STANDALONE", "y"))
    built_without = "Debian's is built without FEATURE_SH_STANDALONE"
    what = (
        "Builds BusyBox with FEATURE_PREFER_APPLETS and FEATURE_SH_STANDALONE. Its shell then uses an applet without "
        "searching for a program of that name, and runs it in the forked process without exec."
    )
    why = "An exec searches PATH, discards the page tables that the fork copied, and faults the same pages in again."
    when_not = "A program in the tree has the name of an applet: the shell would run the applet in its place."
    cost = "BusyBox is built together with the product."
    risk = Risk(function="the shell runs an applet in place of a program of the same name in the tree")
    conflicts = ("busybox-nofork",)
    references = ("busybox: shell/Config.in: FEATURE_SH_STANDALONE", "busybox: Config.in: FEATURE_PREFER_APPLETS")

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the links to BusyBox that were followed: a shell that searches no program follows fewer."""
        if before.diagnosis is None or after.diagnosis is None:
            return Effect(False, "only diagnostic boots of both show which links were followed")
        was, now = len(before.diagnosis.links), len(after.diagnosis.links)
        return Effect(now < was, f"links followed from power-on to the goal: {was} -> {now}")


TECHNIQUES = (
    BusyboxApplets(),
    BusyboxNofork(),
    BusyboxStandalone(),
)
