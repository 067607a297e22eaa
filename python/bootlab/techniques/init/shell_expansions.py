"""Let the shell cut paths itself, where a script starts a program for each."""

from __future__ import annotations

from bootlab.model.change import Op, PutFile
from bootlab.model.tree import Entry
from bootlab.model.verdict import Effect
from bootlab.startup import expansions, scripts
from bootlab.startup.files import Files
from bootlab.techniques.base import Applies, Context, Evidence
from bootlab.techniques.evidence import quote
from bootlab.techniques.init.rc_scripts_merged import processes
from bootlab.techniques.tree_technique import TreeTechnique


class ShellExpansions(TreeTechnique):
    """`$(dirname "$x")` in a loop over /sys: a fork, an exec, a pipe and a wait for each device."""

    id = "shell-expansions"
    title = "Paths cut by the shell itself"
    what = (
        'Replaces `$(dirname "$x")` by `${x%/*}` and `$(basename "$x")` by `${x##*/}` in the start scripts, inside '
        "loops over absolute paths, where both are equal."
    )
    why = "A substitution forks a shell, executes a program, and reads one line from a pipe, for each turn of the loop."
    when_not = "The loops run over few files, or a name in them ends with a line break (the substitution drops it)."
    cost = "None at run time."
    late = True
    references = ("POSIX, Shell Command Language, 2.6.2: parameter expansion", "elinux.org, Boot Time: fewer forks")

    def applies_to(self, files: Files, context: Context) -> Applies:
        """Yes when a start script has such a substitution."""
        found = _found(context, files)
        if not found:
            return Applies.no("no start script cuts paths with a program in such a loop", context.system.init_path)
        places = [f"{path}: {one.before}" for path, _, replaced in found for one in replaced]
        return Applies.yes(f"{len(places)} in {len(found)} scripts", quote("; ".join(places[:6])))

    def ops(self, files: Files, context: Context) -> tuple[Op, ...]:
        """Propose the scripts with the shell's own expansions."""
        ops = []
        for path, started, replaced in _found(context, files):
            old = files.entry(path)
            if started.script is not None and old is not None:
                text = expansions.replace(started.script, replaced)
                ops.append(PutFile(files.real(path), Entry(kind="file", mode=old.mode, text=text)))
        return tuple(ops)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the processes that the boot made: as many fewer as loops had turns, at least one a place."""
        files = Files.of(before.system)
        places = sum(len(replaced) for _, _, replaced in _found(before, files)) if files is not None else 0
        if before.diagnosis is None or after.diagnosis is None:
            return Effect(False, "only diagnostic boots of both tell how many processes were made")
        still = Files.of(after.system)
        left = sum(len(replaced) for _, _, replaced in _found(after, still)) if still is not None else 0
        was, now = processes(before), processes(after)
        if was is None or now is None or left >= places:
            return Effect(False, f"substitutions in scripts that run: {places} -> {left}")
        said = f"substitutions in scripts that run: {places} -> {left}; processes made up to the report: {was} -> {now}"
        return Effect(now < was, said)


def _found(
    booted: Context | Evidence, files: Files
) -> list[tuple[str, scripts.Started, tuple[expansions.Replaced, ...]]]:
    start = scripts.find(files, booted.system.init_path)
    pairs = [(path, one, expansions.replaceable(one.script)) for path, one in start.scripts.items() if one.script]
    return [pair for pair in pairs if pair[2]]
