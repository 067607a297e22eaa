# SPDX-License-Identifier: MIT
"""A list of files that were used on a board, as a file."""

from __future__ import annotations

from pathlib import Path

from bootlab.errors import UserError
from bootlab.model.accesses import Access, Accesses, MethodState
from bootlab.recordings import damage, sealed
from bootlab.recordings.damage import Damaged
from bootlab.recordings.sealed import Form, NotWhole, OtherForm

_MAX_BYTES = 64 << 20
_FORM = Form(name="bootlab-accesses", version=2, sealed_since=2, oldest=1)
_MAKE = "bootlab rootfs atime TREE --output FILE writes one"


def text_of(found: Accesses) -> bytes:
    """Return the document that `load` reads."""
    return sealed.text_of(sealed.values_of(found)) + b"\n"


def load(path: Path) -> Accesses:
    """Read a list of `bootlab rootfs atime --output`, or a text with a path a line (`find -anewer`, `inotifywait`)."""
    try:
        with path.open("rb") as stream:
            data = stream.read(_MAX_BYTES + 1)
    except OSError as fault:
        raise UserError(f"{path} cannot be read: {fault.strerror}", hint=f"ls -l {path}") from fault
    if len(data) > _MAX_BYTES:
        raise UserError(f"{path} is larger than 64 MiB; this is not a list of files", hint="name another file")
    if data.lstrip()[:1] == b"{":
        try:
            found, head = sealed.document_of(data, _FORM, Accesses)
        except OtherForm as fault:
            raise UserError(f"{path} is not a list of accesses: {fault}", hint=_MAKE) from fault
        except NotWhole as fault:
            raise Damaged(path, fault, hint=_MAKE) from fault
        if not head.sealed:
            damage.tell_unsealed(path, head.version)
        return found
    lines = data.decode("utf-8", "surrogateescape").splitlines()
    seen = tuple(Access(path=line, method="given", kind="read") for line in lines if line.startswith("/"))
    if not seen:
        raise UserError(f"{path} names no file: its lines must begin with /", hint="find / -xdev -anewer /marker")
    state = MethodState(name="given", works=True, text=f"the list {path.name}")
    return Accesses(methods=(state,), seen=seen)
