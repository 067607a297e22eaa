"""Boot logs and traces of any kind: read, typed, compared."""

from bootlab.logs.analysis import Analysis, Document, analyze
from bootlab.logs.boot import Boot, Cost, NotABoot
from bootlab.logs.comparison import Comparison, compare
from bootlab.logs.kernel import Initcall, Probe
from bootlab.logs.trace import CallTrace, Chart, DeltaReport, KdReport, UnitReport

__all__ = [
    "Analysis",
    "Boot",
    "CallTrace",
    "Chart",
    "Comparison",
    "Cost",
    "DeltaReport",
    "Document",
    "Initcall",
    "KdReport",
    "NotABoot",
    "Probe",
    "UnitReport",
    "analyze",
    "compare",
]
