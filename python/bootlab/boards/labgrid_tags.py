# SPDX-License-Identifier: MIT
"""Which places of a labgrid coordinator have tags: what it answers itself, not what labgrid-client prints of it."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterable

from bootlab.boards.labgrid_place import NoPlace
from bootlab.errors import EnvironmentFault, UserError

Tags = dict[str, str]
_PORT = 20408
_HERE = f"127.0.0.1:{_PORT}"
_ANSWERS_S = 30.0


def tags_of(words: str) -> Tags:
    """Read `board=camera,room=3`. Raise UserError."""
    found: Tags = {}
    for word in words.split(","):
        key, given, value = word.strip().partition("=")
        if not key or not given or not value:
            raise UserError(f"{words!r} is no tag", hint="--place board=camera: all places with that tag of labgrid's")
        if found.setdefault(key, value) != value:
            raise UserError(f"a place has the tag {key!r} once", hint=f"--place {key}={value} --place {key}=OTHER")
    return found


def places_with(tags: Tags, coordinator: str | None) -> list[str]:
    """Return the names of the places that have all of these tags, by name. Raise NoPlace where none has.

    Raise EnvironmentFault where labgrid is not installed or its coordinator does not answer.
    """
    known = _places(coordinator)
    if found := sorted(name for name, has in known if tags.items() <= has.items()):
        return found
    asked = ", ".join(f"{key}={value}" for key, value in tags.items())
    raise NoPlace(f"no place of labgrid has {asked}", hint=f"tags of its places: {_listed(has for _, has in known)}")


def _listed(tags: Iterable[Tags]) -> str:
    there = sorted({f"{key}={value}" for one in tags for key, value in one.items()})
    return ", ".join(there[:20]) + (", ..." if len(there) > 20 else "") if there else "none (labgrid-client set-tags)"


def _places(coordinator: str | None) -> list[tuple[str, Tags]]:
    """Ask a coordinator for its places with their tags, where labgrid's own program asks it."""
    if importlib.util.find_spec("labgrid") is None:
        raise EnvironmentFault("labgrid is not installed; --place needs it", hint="pip install 'bootlab[board]'")
    import grpc  # noqa: PLC0415 - of labgrid, which only its boards need
    from labgrid.remote.generated import labgrid_coordinator_pb2 as messages  # noqa: PLC0415
    from labgrid.remote.generated.labgrid_coordinator_pb2_grpc import CoordinatorStub  # noqa: PLC0415
    from labgrid.util.proxy import proxymanager  # noqa: PLC0415

    asked = coordinator or os.environ.get("LG_COORDINATOR") or _HERE
    address = proxymanager.get_grpc_address(asked, default_port=_PORT)
    try:
        with grpc.insecure_channel(address) as channel:
            answer = CoordinatorStub(channel).GetPlaces(messages.GetPlacesRequest(), timeout=_ANSWERS_S)
    except grpc.RpcError as fault:
        said = fault.details() if isinstance(fault, grpc.Call) else str(fault)
        raise EnvironmentFault(
            f"labgrid's coordinator at {asked} does not answer: {said}", hint=f"labgrid-client -x {asked} places"
        ) from fault
    return [(place.name, dict(place.tags)) for place in answer.places]
