# SPDX-License-Identifier: MIT
"""`bootlab gate`: budgets and a base, for CI."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from typer.core import TyperCommand

from bootlab.cli.gate_command import TellingCommand
from bootlab.cli.gate_options import (
    AlphaOption,
    AnswerFiles,
    BlocksOption,
    BudgetOption,
    FailureRateOption,
    FewOption,
    HtmlOption,
    OfSystem,
    SmallestOption,
    finish,
    smallest_ns,
    tell,
)
from bootlab.cli.open_system import opened
from bootlab.cli.options import Argument, JobsOption, Option
from bootlab.cli.screen import say
from bootlab.cli.session import CostsOption, Kept
from bootlab.errors import UserError

if TYPE_CHECKING:
    from bootlab.api.values import Against, BlockPlan, Side

AGAINST = "--against"
OF_BRANCH = "git:"


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
    list[str] | None,
    Argument(
        metavar="[NEW...]",
        help="What to judge: a system file (which is booted), recording folders, runs (`last`), boot logs, what "
        "`systemd-analyze` or `journalctl -o json` printed, folders of these, `-` (standard input), `rev:COMMIT`.",
        show_default=False,
    ),
]
AgainstOption = Annotated[
    list[str] | None,
    Option(
        names=(AGAINST,),
        metavar="BASE...",
        help="What NEW must not be slower than: the same kinds of things, or `history`: the newest boots of the "
        "history; `git:BRANCH`: the system file of the commit at which HEAD left that branch, which is checked out "
        "elsewhere and booted. Takes several if it comes after NEW.",
    ),
]


class Gated(OfSystem):
    """How words that name boots are looked up, or booted."""

    jobs: JobsOption = None
    costs: CostsOption = None
    build: Annotated[
        str,
        Option(metavar="CMD", help="For git:BRANCH: the shell command that builds the base in its checkout."),
    ] = ""


class GateFiles(AnswerFiles):
    """All files of a gate."""

    html: HtmlOption = None
    kcidb: Annotated[Path | None, Option(help="Write a KCIDB 5.3 report.")] = None
    kcidb_origin: Annotated[str, Option(help="The name of your CI system in KCIDB.")] = "bootlab"
    revision: Annotated[str, Option(help="The commit that was booted, for --kcidb.")] = ""


def gate(
    new: ThingsArgument = None,
    *,
    against: AgainstOption = None,
    budget: BudgetOption = None,
    files: GateFiles,
    blocks: BlocksOption = 15,
    smallest_ms: SmallestOption = None,
    alpha: AlphaOption = 0.05,
    seed: Annotated[int, Option(least=0, help="Seed of the random order of the blocks.")] = 1,
    few: FewOption = False,
    failure_rate: FailureRateOption = 0.0,
    first_boot: Annotated[
        bool,
        Option(help="Judge first boots of a system; without it, they are left out of later ones."),
    ] = False,
    telling: TellingCommand,
    asked: Gated,
) -> None:
    """Pass or fail a boot in CI: budgets for stages and the whole boot, no slower than a base.

    Exit code 0: passed; 11: a budget is broken or the boot is slower; 14: undecided, which never counts as passed.
    System files are booted until there is an answer: exact ones once, and under dithers where that alone does not tell,
    noisy ones in random blocks together with the base.

    With --run, a command tells the boots, of any machine: --run 'ssh vm systemd-analyze' --repeat 5 --reboot CMD.

    Example: bootlab gate camera.toml --against camera-1.0.toml --budget kernel=500ms --junit gate.xml
    """
    from bootlab.api import history as api  # noqa: PLC0415 - `--help` must not wait for it

    smallest = smallest_ns(smallest_ms)
    api.check_budgets(budget or ())
    news, bases = list(new or ()), list(against or ())
    if not (budget or bases):
        raise UserError("there is nothing to judge the boot by", hint="give --budget NAME=TIME or --against BASE")
    if _branch(bases) and not _is_system(news):
        raise UserError(
            f"{bases[0]} is booted, so NEW has to be a system file", hint="bootlab gate SYSTEM.toml --against git:main"
        )
    told = telling.side(news, asked)
    if not news and told is None:
        raise UserError("nothing is named that could be judged", hint="bootlab gate NEW..., or --run CMD")

    if asked.costs is not None and not (_is_system(news) and _is_system(bases)):
        raise UserError(
            "a board's costs are counted from boots of both sides",
            hint="bootlab gate NEW.toml --against BASE.toml --costs sd-card-20MB,115200",
        )
    booted: Against | None = None
    base: Side | None
    if told is not None:
        _refuse_booted(bases, told.name)
        this, base = told, asked.side(*bases) if bases else None
    elif _is_system(news) and (branch := _branch(bases)):
        plan = api.plan(blocks=blocks, alpha=alpha, seed=seed, smallest_ns=smallest)
        booted = _boot_against_branch(Path(news[0]), branch, plan, asked)
        this, base = booted.new, booted.base
    elif _is_system(news):
        base_file = Path(bases[0]) if _is_system(bases) else None
        plan = api.plan(blocks=blocks, alpha=alpha, seed=seed, smallest_ns=smallest)
        base = asked.side(*bases) if bases and base_file is None else None
        if base_file is None and base is None:
            this = _boot(Path(news[0]), asked)
        else:
            booted = _boot_against(Path(news[0]), base_file or base, plan, asked)  # type: ignore[arg-type]
            this, base = booted.new, booted.base
    else:
        _refuse_booted(bases, news[0])
        _refuse_mixed(news, bases)
        this, base = asked.side(*news), asked.side(*bases) if bases else None
    found = api.gate(
        this,
        base,
        budget=budget or (),
        smallest_ns=smallest,
        alpha=alpha,
        few=few,
        failure_rate=failure_rate,
        first_boot=first_boot,
        booted=booted,
    )
    finish(found, files, place=news[0] if news else found.name, as_json=asked.as_json)


def _branch(bases: list[str]) -> str:
    """Return the branch that the base is the start of; "" where the base is something else. Raise UserError."""
    if len(bases) > 1 and any(word.startswith(OF_BRANCH) for word in bases):
        raise UserError(f"{' '.join(bases)}: a branch cannot be combined with other inputs", hint="--against git:main")
    return bases[0].removeprefix(OF_BRANCH) if bases and bases[0].startswith(OF_BRANCH) else ""


def _boot_against_branch(new: Path, branch: str, plan: BlockPlan, asked: Gated) -> Against:
    """Boot a system file against that of the commit at which HEAD left a branch."""
    from bootlab.api import history as api  # noqa: PLC0415

    with opened(new, asked) as system, api.left_branch(branch, new, build=asked.build) as revisions:
        (commit,) = revisions.all
        say(f"base: {commit.name[:12]} of {branch}: {commit.subject}")
        booted = api.against(system, system.like(revisions.system(0)), plan, told=tell, history=asked.history)
        named = msgspec.structs.replace(booted.base, name=f"{branch} ({commit.name[:12]})")
        since = api.origin(new.resolve().parent, branch, commit)
        return msgspec.structs.replace(booted, base=named, origin=since)


def _refuse_booted(bases: list[str], new: str) -> None:
    if _is_system(bases):
        raise UserError(f"{bases[0]} is booted, {new} is not", hint="give two system files, or none")


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


def _boot_against(new: Path, base: Path | Side, plan: BlockPlan, asked: Gated) -> Against:
    from bootlab.api import System  # noqa: PLC0415
    from bootlab.api import history as api  # noqa: PLC0415

    with opened(new, asked) as system:
        if isinstance(base, Path):
            other = system.like(System.load(base).value)
            return api.against(system, other, plan, told=tell, history=asked.history)
        if system.value.costs is not None:
            say(f"[costs] of {new} is not counted: the base was booted before, so exact times are judged")
        return api.against_side(system, base, smallest_ns=plan.smallest_ns)


def _boot(new: Path, asked: Kept) -> Side:
    from bootlab.api.history import side_of  # noqa: PLC0415

    with opened(new, asked) as system:
        return side_of(system.name, [system.boot().recording])
