"""`bootlab gate`: budgets and a base, for CI."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from bootlab.cli.gate_options import (
    AlphaOption,
    AnswerFiles,
    BlocksOption,
    BudgetOption,
    FewOption,
    HtmlOption,
    OfSystem,
    SmallestOption,
    finish,
    smallest_ns,
    tell,
)
from bootlab.cli.open_system import opened
from bootlab.cli.options import JobsOption, Option
from bootlab.cli.session import Kept
from bootlab.errors import UserError

if TYPE_CHECKING:
    from bootlab.experiments.interleaved import Plan
    from bootlab.history.against import Against
    from bootlab.history.boot_times import Side

AGAINST = "--against"


class GateCommand(TyperCommand):
    """A command whose `--against` takes all words behind it, as a shell's pattern gives them."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Repeat `--against` before each further word that follows its first, where NEW was named before it."""
        if AGAINST in args:
            place = args.index(AGAINST)
            before, _, _ = self.make_parser(ctx).parse_args(list(args[:place]))
            end = place + 2
            while before.get("new") and end < len(args) and not args[end].startswith("-"):
                args.insert(end, AGAINST)
                end += 2
        return super().parse_args(ctx, args)


COMMAND = GateCommand
"""The command class of this verb."""

ThingsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="NEW...",
        help="What to judge: a system file (which is booted), recording folders, runs (`last`), boot logs and folders "
        "of them, `rev:COMMIT`.",
        show_default=False,
    ),
]
AgainstOption = Annotated[
    list[str] | None,
    typer.Option(
        AGAINST,
        metavar="BASE...",
        help="What NEW must not be slower than: the same kinds of things, or `history`: the newest boots of the "
        "history. Takes several if it comes after NEW.",
    ),
]


class Gated(OfSystem):
    """How words that name boots are looked up, or booted."""

    jobs: JobsOption = None


class GateFiles(AnswerFiles):
    """All files of a gate."""

    html: HtmlOption = None
    kcidb: Annotated[Path | None, Option(help="Write a KCIDB 5.3 report.")] = None
    kcidb_origin: Annotated[str, Option(help="The name of your CI system in KCIDB.")] = "bootlab"
    revision: Annotated[str, Option(help="The commit that was booted, for --kcidb.")] = ""


def gate(
    new: ThingsArgument,
    *,
    against: AgainstOption = None,
    budget: BudgetOption = None,
    files: GateFiles,
    blocks: BlocksOption = 15,
    smallest_ms: SmallestOption = None,
    alpha: AlphaOption = 0.05,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the random order of the blocks.")] = 1,
    few: FewOption = False,
    asked: Gated,
) -> None:
    """Pass or fail a boot in CI: budgets for stages and the whole boot, no slower than a base.

    Exit code 0: passed; 11: a budget is broken or the boot is slower; 14: undecided, which never counts as passed.
    System files are booted: exact ones once, noisy ones in random blocks together with the base until there is an
    answer.

    Example: bootlab gate camera.toml --against camera-1.0.toml --budget kernel=500ms --junit gate.xml
    """
    from bootlab.experiments.interleaved import Plan  # noqa: PLC0415
    from bootlab.history import budget as budgets  # noqa: PLC0415
    from bootlab.history.gate import gate as judge  # noqa: PLC0415

    smallest = smallest_ns(smallest_ms)
    limits = [budgets.parse(text) for text in budget or ()]
    bases = list(against or ())

    booted: Against | None = None
    base: Side | None
    if _is_system(new):
        base_file = Path(bases[0]) if _is_system(bases) else None
        plan = Plan(blocks=blocks, alpha=alpha, seed=seed, smallest_ns=smallest)
        if base_file is not None:
            booted = _boot_both(Path(new[0]), base_file, plan, asked)
            this, base = booted.new, booted.base
        else:
            this = _boot(Path(new[0]), asked)
            base = asked.side(*bases) if bases else None
    else:
        if _is_system(bases):
            raise UserError(f"{bases[0]} is booted, {new[0]} is not", hint="give two system files, or none")
        _refuse_mixed(new, bases)
        this, base = asked.side(*new), asked.side(*bases) if bases else None
    found = judge(
        this,
        base,
        limits,
        paired=booted is not None and booted.total is not None,
        smallest_ns=smallest,
        alpha=alpha,
        total=booted.total if booted else None,
        few=few,
    )
    finish(found, files, place=new[0], as_json=asked.as_json)


def _is_system(words: list[str]) -> bool:
    systems = [word for word in words if word.endswith(".toml")]
    if systems and len(words) > 1:
        raise UserError(
            f"{' '.join(words)}: a system file cannot be combined with other inputs",
            hint="bootlab gate NEW.toml --against BASE.toml",
        )
    return bool(systems)


def _refuse_mixed(new: list[str], bases: list[str]) -> None:
    """Refuse words of which some of NEW seem to be the base's: a pattern that the shell wrote out too early."""
    homes = {Path(word).parent for word in new if Path(word).is_file()}
    if len(homes) > 1 and any(Path(base).is_file() and Path(base).parent in homes for base in bases):
        shared = next(Path(base).parent for base in bases if Path(base).parent in homes)
        raise UserError(
            f"some of NEW and BASE are in the same folder {shared}, others do not",
            hint=f"name NEW first: bootlab gate NEW... {AGAINST} BASE...",
        )


def _boot_both(new: Path, base: Path, plan: Plan, asked: Kept) -> Against:
    from bootlab.api import System  # noqa: PLC0415
    from bootlab.api import history as api  # noqa: PLC0415

    with opened(new, asked) as system:
        other = system.like(System.load(base).value)
        return api.against(system, other, plan, told=tell)


def _boot(new: Path, asked: Kept) -> Side:
    from bootlab.history.of_recording import side_of  # noqa: PLC0415

    with opened(new, asked) as system:
        return side_of(system.name, [system.boot().recording])
