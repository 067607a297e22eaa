"""Systems with start scripts, and what a diagnostic boot said of them."""

import msgspec

from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Diagnosis, FileRead
from bootlab.model.system import Initramfs
from bootlab.model.tree import Entry, FileTree
from bootlab.techniques.base import Evidence
from tests.techniques.recordings import diagnosis, evidence

INIT = "#!/bin/sh\nmount -t proc proc /proc\n/etc/init.d/rcS\nexec /app\n"
RCS = '#!/bin/sh\nfor s in /etc/init.d/S??*; do\n\t"$s" start\ndone\n'
SCRIPTS = {
    "/init": INIT,
    "/etc/init.d/rcS": RCS,
    "/etc/init.d/S01log": "#!/bin/sh\nsyslogd -C64\nklogd\n",
    "/etc/init.d/S02net": "#!/bin/sh\ncd /etc\nip link set lo up\n",
}


def tree(texts: dict[str, str], busybox: Entry | None = None) -> FileTree:
    """Return a tree of scripts, a BusyBox and its usual links."""
    links = ("sh", "mount", "syslogd", "klogd", "ip", "vi", "wget", "awk", "init", "getty")
    return FileTree.of(
        {path: Entry(kind="file", mode=0o755, text=text) for path, text in texts.items()}
        | {f"/bin/{name}": Entry(kind="symlink", target="busybox", mode=0o777) for name in links}
        | {"/bin/busybox": busybox or Entry(kind="file", source="/bin/busybox")}
        | {"/app": Entry(kind="file", text="#!/bin/sh\necho GOAL reached\n")}
    )


def booted(
    texts: dict[str, str],
    *,
    unread: tuple[str, ...] = (),
    processes: int | None = None,
    sizes: dict[str, int] | None = None,
    diagnosed: bool = True,
    links: tuple[str, ...] = (),
    mounts: str = "",
    **replace,
) -> Evidence:
    """Return a boot of a system with these scripts, all of them read but for some, and its diagnosis."""
    found = evidence(
        "base",
        initramfs=Initramfs(tree=tree(texts, replace.pop("busybox", None))),
        cmdline=CommandLine.parse("console=ttyS0 rdinit=/init"),
        **replace,
    )
    sizes = sizes or {}
    files = tuple(
        FileRead(path=path, read=path not in unread, size_bytes=sizes.get(path, 100))
        for path, entry in found.system.tree.entries
        if entry.kind == "file"
    )
    base = diagnosis("diagnostic")
    proc = {"mounts": mounts} | ({"stat": f"processes {processes}"} if processes is not None else {})
    said = Diagnosis(recording=base.recording, log=base.log, files=files, links=links, proc=proc)
    return msgspec.structs.replace(found, diagnosis=said if diagnosed else None)
