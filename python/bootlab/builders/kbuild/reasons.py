# SPDX-License-Identifier: MIT
"""Why an option did not take effect: the dependency that is not met, as the tree's own Kconfig files say it."""

from __future__ import annotations

from pathlib import Path

from bootlab.builders.kbuild.architecture import KbuildArchitecture
from bootlab.builders.kbuild.configuration import LostOption
from bootlab.errors import BootlabError
from bootlab.kernelsource.advice import Advisor, Reason
from bootlab.kernelsource.configuration import Configuration
from bootlab.kernelsource.kconfig import read_kconfig

_NAMED_MAX = 3


class Reasons:
    """Reads a tree's Kconfig files at the first question."""

    def __init__(self, tree: Path, target: KbuildArchitecture) -> None:
        """Take a source tree."""
        self._tree = tree
        self._target = target
        self._advisor: Advisor | None = None
        self._config: dict[str, str] | None = None

    def why(self, lost: LostOption, config: dict[str, str]) -> str:
        """Return the reasons in words: `unknown` where the Kconfig files do not give them away."""
        try:
            if self._advisor is None or self._config is not config:
                kconfig = self._advisor.kconfig if self._advisor else read_kconfig(self._tree, self._target.folder)
                values = {name: value.strip('"') for name, value in config.items()}
                self._advisor, self._config = Advisor(kconfig, Configuration(values, complete=True)), config
            reasons = self._advisor.why_not(lost.name, lost.asked.strip('"'))
            if not reasons and (other := self._advisor.chosen_instead(lost.name)):
                return f"{lost.name} and {other} exclude each other (members of one choice), and {other} is y"
        except (BootlabError, OSError) as error:
            return f"the reason is unknown ({error})"
        return "; ".join(_text(reason) for reason in reasons[:_NAMED_MAX]) or "the reason is unknown"


def _text(reason: Reason) -> str:
    values = ", ".join(f"{name} is {value or 'not in this tree'}" for name, value in reason.values)
    return f"{reason.text} ({values})" if values and reason.kind != "modules off" else reason.text
