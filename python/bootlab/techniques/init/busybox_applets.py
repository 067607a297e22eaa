"""Build BusyBox with the applets that the start uses."""

from __future__ import annotations

from bootlab.model.change import DropFiles, Op, SetBusybox
from bootlab.model.verdict import Effect
from bootlab.startup import applets, scripts
from bootlab.startup.files import Files
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk
from bootlab.techniques.tree_technique import TreeTechnique

_QUOTED_MAX = 8


class BusyboxApplets(TreeTechnique):
    """A distribution's BusyBox holds every command there is; a product's start uses a few of them."""

    id = "busybox-applets"
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
        Published(
            "8.7 -> 5.0 s with an optimised BusyBox and fewer forks", "a board of CELF's (not named)",
            "elinux.org, Boot Time",
        ),
        Published("-350 ms and -78 % of the system's size by applications with fewer options", "BeagleBone Black",
                  "Bootlin boot-time training"),
    )  # fmt: skip
    references = ("busybox: scripts/gen_build_files.sh, include/applets.src.h", "busybox: Config.in")

    def applies_to(self, files: Files, context: Context) -> Applies:
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
            words += f"; not told by its name: {'; '.join(used.unknown[:2])}"
        return Applies.yes(words, ", ".join(used.applets[:_QUOTED_MAX]) + " …")

    def ops(self, files: Files, context: Context) -> tuple[Op, ...]:
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


def _use(context: Context, files: Files, found: applets.Busybox) -> applets.Use:
    start = scripts.find(files, context.system.init_path)
    return applets.use(files, found, context.system, start, context.diagnosis)
