"""What `bootlab analyze` is given: files of any kind, standard input, and recordings of bootlab's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bootlab.cli.analysis_request import Request
    from bootlab.logs import Analysis

_RECORDING = "recording.json"


def read(name: str, request: Request, *, export: bool) -> Analysis:
    """Read one input. A folder with a recording is read as its console, with the stamps of the machine's clock."""
    from bootlab.logs import analysis as logs  # noqa: PLC0415

    folder = _recording(name)
    if folder is not None:
        return _read_recording(folder, request)
    return logs.analyze(name, application=request.application, goal=request.goal, baud=request.baud, export=export)


def _recording(name: str) -> Path | None:
    """Return the folder of a recording that was named, by itself or by its description."""
    path = Path(name)
    if path.name == _RECORDING and path.is_file():
        return path.parent
    return path if (path / _RECORDING).is_file() else None


def _read_recording(folder: Path, request: Request) -> Analysis:
    from bootlab.logs import analysis as logs  # noqa: PLC0415
    from bootlab.targets import recording_dir  # noqa: PLC0415 - numpy takes longer than reading a log

    recording = recording_dir.load(folder)
    stamps = recording_dir.line_stamps(folder, recording.console)
    return logs.analyze(
        recording.console,
        name=str(folder),
        application=request.application,
        goal=request.goal,
        baud=request.baud,
        stamps_ns=stamps,
        emulated=recording.meta.mode == "exact",
    )
