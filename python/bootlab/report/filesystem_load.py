"""What reading a root takes on a board: modelled for each row of the file-system comparison, apart from its times."""

from __future__ import annotations

import msgspec

from bootlab.model.filesystems import FilesystemRow, Filesystems
from bootlab.report.modelled import DEFAULT_BANDWIDTH, load_ns


def with_load(found: Filesystems, *, bandwidth_bytes_per_s: int = DEFAULT_BANDWIDTH) -> Filesystems:
    """Return the comparison with each row's load time: the bytes read, or of the image, over the bandwidth."""

    def row(measured: FilesystemRow) -> FilesystemRow:
        count = measured.image_bytes if measured.read_bytes is None else measured.read_bytes
        return msgspec.structs.replace(measured, load_ns=load_ns(count, bandwidth_bytes_per_s) if measured.ok else None)

    rows = tuple(row(measured) for measured in found.rows)
    return msgspec.structs.replace(found, rows=rows, bandwidth_bytes_per_s=bandwidth_bytes_per_s)
