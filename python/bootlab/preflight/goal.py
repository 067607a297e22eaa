# SPDX-License-Identifier: MIT
"""Goals that cannot be: lines that no console has, that the command line keeps off it, or that the image lacks."""

from __future__ import annotations

import re

from bootlab.formats.file_view import FileView
from bootlab.launch import picture
from bootlab.launch.boot_plan import BootPlan
from bootlab.model.cmdline import CommandLine
from bootlab.preflight.ready_image import tree_of

_SYSTEMD = re.compile(r"(?:Started|Reached target|Listening on) .*\\?\.(?:service|target|socket)")
_STARTED = re.compile(r"(?:Started|Finished) (?P<unit>[A-Za-z0-9_.\\-]+?)\\?\.service")
_LOGIN = re.compile(r"\^?(?P<host>[A-Za-z0-9][A-Za-z0-9-]*) login:.*")
# What only the kernel prints, at the level of information (init/main.c, init/do_mounts.c, init/initramfs.c).
_KERNELS = re.compile(
    r"Linux version|Run \S+ as init process|Freeing (?:unused kernel|initrd)|VFS: Mounted root|Unpacking initramfs"
)
_QUIET_LEVEL, _INFORMATION = 4, 6
_UNIT_FOLDERS = (
    "/etc/systemd/system",
    "/usr/lib/systemd/system",
    "/lib/systemd/system",
    "/usr/local/lib/systemd/system",
)
# A $ outside of brackets with something behind it that is no end.
_BEHIND_END = re.compile(r"(?<!\\)\$(?=[A-Za-z0-9 ])")


def check(plan: BootPlan) -> tuple[str, str] | None:
    """Return why no console line can be the goal, and the way out; None when one may."""
    goal, line = plan.system.goal.console, plan.system.cmdline
    if _BEHIND_END.search(re.sub(r"\[[^\]]*\]", "", goal)):
        return (
            f"the goal {goal!r} cannot match: $ is the end of a line, but more text follows it",
            r"write \$ for a dollar sign, or leave the $ out of goal.console",
        )
    if re.search(r"(?:login|Password): ?\$$", goal) and re.search(goal, "box login: ") is None:
        return (f"the goal {goal!r} cannot match: a prompt ends with a space", "leave the $ out of goal.console")
    if plan.system.machine.picture is None and picture.is_goal(plan.system):
        return (f"the goal {goal!r} waits for a picture, and none is given", "name it as machine.picture")
    said = any(line.has(f"systemd.{key}") for key in ("show_status", "log_target", "log_level")) or line.has("debug")
    if _SYSTEMD.search(goal) and line.has("quiet") and not said:
        return (
            f"the goal {goal!r} is a line of systemd's, which prints none with quiet on the command line",
            "add systemd.show_status=1 to kernel.cmdline, or leave quiet out",
        )
    return _kernels_own(goal, line) or _of_the_image(plan, goal)


def _kernels_own(goal: str, line: CommandLine) -> tuple[str, str] | None:
    level = _level(line)
    own = _KERNELS.search(re.sub(r"\\([^A-Za-z0-9])", r"\1", goal))
    if own is None or level > _INFORMATION:
        return None
    word = "quiet" if line.has("quiet") else "loglevel="
    return (
        f"the goal {goal!r} is a line of the kernel's, which {word} keeps off the console",
        f"leave {word} out of kernel.cmdline, or take a line of user space as the goal",
    )


def _level(line: CommandLine) -> int:
    """Return the level below which the kernel prints (init/main.c, kernel/printk): the last word counts."""
    level = 7
    for param in line.params:
        if param.key == "quiet":
            level = _QUIET_LEVEL
        elif param.key in {"debug", "ignore_loglevel"}:
            level = 10
        elif param.key == "loglevel" and (param.value or "").isdecimal():
            level = int(param.value or 0)
    return 10 if line.has("ignore_loglevel") else level


def _of_the_image(plan: BootPlan, goal: str) -> tuple[str, str] | None:
    """Compare the goal with the units and the name of a ready image."""
    unit, login = _STARTED.search(goal), _LOGIN.fullmatch(goal)
    view = tree_of(plan.system) if unit is not None or login is not None else None
    if view is None:
        return None
    if unit is not None:
        return _unit(view, unit["unit"].replace("\\", "") + ".service", plan)
    return _host(view, login["host"], plan) if login is not None else None


def _host(view: FileView, named: str, plan: BootPlan) -> tuple[str, str] | None:
    host = ((view.text("/etc/hostname") or "").split() or [""])[0]
    changed = plan.system.cmdline.has("systemd.hostname") or view.exists("/etc/cloud")
    if not host or changed or named in {host, host.partition(".")[0]}:
        return None
    return (
        f"the goal {plan.system.goal.console!r} names another machine: the image's /etc/hostname is {host}",
        f"goal.console = '{host} login:'",
    )


def _unit(view: FileView, name: str, plan: BootPlan) -> tuple[str, str] | None:
    there = {unit for folder in _UNIT_FOLDERS for unit in view.names(folder)}
    root, line = plan.system.root, plan.system.cmdline
    added = root is not None and any(path.endswith(f"/{name}") for path, _ in root.tree.entries)
    script = f"/etc/init.d/{name.removesuffix('.service')}"
    if added or not there or name in there or "@" in name or view.exists(script) or line.has("systemd.wants"):
        return None
    import difflib  # noqa: PLC0415 - of most goals there is nothing to say

    near = difflib.get_close_matches(name, [unit for unit in there if unit.endswith(".service")], n=1, cutoff=0.6)
    return (
        f"the goal waits for {name}, and the image has no such unit",
        f"did you mean {near[0]}?" if near else "see what is there: `bootlab new --from IMAGE` lists goals",
    )
