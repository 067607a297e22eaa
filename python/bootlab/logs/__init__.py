# SPDX-License-Identifier: MIT
"""Boot logs and traces of any kind: read, typed, compared."""

from bootlab.logs.analysis import Analysis, analyze
from bootlab.logs.boot import LogBoot, NotABoot
from bootlab.logs.compared import LogComparison
from bootlab.logs.comparison import compare
from bootlab.logs.costs import Cost
from bootlab.logs.document import Document
from bootlab.logs.initcalls import LogInitcall
from bootlab.logs.kernel import Probe
from bootlab.logs.reports import Chart, DeltaReport, KdReport, UnitReport
from bootlab.logs.trace import CallTrace

__all__ = [
    "Analysis",
    "CallTrace",
    "Chart",
    "Cost",
    "DeltaReport",
    "Document",
    "KdReport",
    "LogBoot",
    "LogComparison",
    "LogInitcall",
    "NotABoot",
    "Probe",
    "UnitReport",
    "analyze",
    "compare",
]
