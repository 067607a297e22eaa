"""Start login prompts after the application has come to its goal."""

from __future__ import annotations

import posixpath

from bootlab.model.change import Op, PutFile
from bootlab.model.tree import Entry
from bootlab.model.verdict import Effect
from bootlab.startup import inittab, scripts
from bootlab.startup.files import Files
from bootlab.techniques.base import Applies, Context, Evidence, Risk
from bootlab.techniques.tree_technique import TreeTechnique

_TABLE = "/etc/inittab"
_LOGINS = frozenset({"getty", "login", "agetty", "mgetty", "sh", "ash"})
_KEPT_ALIVE = frozenset({"respawn", "askfirst"})


class GettyLate(TreeTechnique):
    """A getty on each console opens, hangs up and configures its terminal while the application starts."""

    id = "getty-late"
    title = "Login prompts after the goal"
    what = (
        "Moves the gettys of `/etc/inittab` after everything else, each with a sleep in front that ends after the goal."
    )
    why = "Until the goal, processor and serial port belong to the application alone."
    when_not = "Nothing starts a getty, or the application is not an inittab entry beside them."
    cost = "The login prompt comes later, also after each logout."
    risk = Risk(
        runtime="after each logout the next login prompt comes some seconds later",
        debuggability="no login on the consoles until some seconds after the goal",
    )
    references = ("busybox: init/init.c: run_actions()",)

    def applies_to(self, files: Files, context: Context) -> Applies:
        """Yes when init's table keeps login prompts alive."""
        found = _gettys(files, context)
        if not found:
            return Applies.no("init's table starts no login prompt", context.system.init_path)
        late = [entry for entry in found if "sleep" in entry.process]
        if len(late) == len(found):
            return Applies.no("they start late already", late[0].process)
        return Applies.yes(
            f"{len(found)} login prompts start with the application", "; ".join(e.process for e in found)
        )

    def ops(self, files: Files, context: Context) -> tuple[Op, ...]:
        """Propose the table with its gettys at the end, asleep until long after the goal."""
        found, entry = _gettys(files, context), files.entry(_TABLE)
        if entry is None or not found or any("sleep" in e.process for e in found):
            return ()
        # As long as a diagnostic boot lasts (twice the time to the goal and a second), and more.
        seconds = 2 * (context.recording.meta.goal_ns or 0) // 10**9 + 10
        lines = (files.text(_TABLE) or "").splitlines()
        numbers = {e.number for e in found}
        kept = [line for number, line in enumerate(lines, start=1) if number not in numbers]
        late = [
            f"{e.terminal}:{e.runlevels}:respawn:/bin/sh -c 'sleep {seconds}; exec {e.process.removeprefix('-')}'"
            for e in found
        ]
        text = "\n".join([*kept, *late]) + "\n"
        return (PutFile(files.real(_TABLE), Entry(kind="file", mode=entry.mode, text=text)),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the link to getty, which is no longer followed."""
        if before.diagnosis is None or after.diagnosis is None:
            return Effect(False, "only diagnostic boots of both show which programs are started")
        was = {link for link in before.diagnosis.links if posixpath.basename(link) in _LOGINS - {"sh", "ash"}}
        still = was.intersection(after.diagnosis.links)
        if not was:
            return Effect(False, "no link to a getty was followed before either")
        if still:
            return Effect(False, f"still started: {', '.join(sorted(still))}")
        return Effect(True, f"no longer started before the report: {', '.join(sorted(was))}")


def _gettys(files: Files, context: Context) -> list[inittab.Entry]:
    entries = scripts.find(files, context.system.init_path).entries
    application = context.system.application
    return [
        entry
        for entry in entries
        if entry.action in _KEPT_ALIVE
        and any(posixpath.basename(word) in _LOGINS for word in entry.words[:4])
        and application not in entry.words
    ]
