"""A worker of a folder of jobs whose boots are fake, as a process: folder_boots.py FOLDER."""

from __future__ import annotations

import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bootlab.targets import job_folder
from bootlab.targets.folder_worker import FolderWorker
from tests.targets.scheduled_boots import opened

HEARTBEAT_S = 0.2


def main(folder: Path) -> None:
    """Take jobs until somebody ends it."""
    job_folder.HEARTBEAT_S, job_folder.LOST_AFTER_S = HEARTBEAT_S, 10 * HEARTBEAT_S
    worker = FolderWorker(folder, opener=opened)
    signal.signal(signal.SIGTERM, lambda _number, _frame: worker.end())
    with ThreadPoolExecutor(1) as pool:
        pool.submit(worker.run).result()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
