# SPDX-License-Identifier: MIT
"""Roots whose tree does not lie at the top of their file system: OSTree's deployments, composefs, stores.

OSTree: https://ostreedev.github.io/ostree/deployment/. An initrd, or the command line, says which tree is started.
"""

from __future__ import annotations

from bootlab.formats.file_view import FileView

_OSTREE = "/ostree/deploy"
_COMPOSEFS = ("/composefs/objects", "/composefs/images")
# NixOS and Guix keep programs in a store; the profile is a link to the system that was made last.
_PROFILES = ("/nix/var/nix/profiles/system", "/var/guix/profiles/system")
_STORE, _SYSTEM = "/nix/store", "-nixos-system-"
_FIRST_PROGRAMS = ("init", "boot")


def tree_of(view: FileView) -> FileView | None:
    """Return the newest tree that is deployed in a root; None where none is."""
    found = [
        f"{_OSTREE}/{system}/deploy/{name}"
        for system in view.names(_OSTREE)
        for name in view.names(f"{_OSTREE}/{system}/deploy")
        if view.kind(f"{_OSTREE}/{system}/deploy/{name}") == "dir"
    ]
    return view.below(found[-1]) if found else None


def is_hidden(view: FileView) -> bool:
    """Tell whether a root holds a tree only as objects, which composefs puts together."""
    return any(view.kind(path) == "dir" for path in _COMPOSEFS)


def first_program(view: FileView) -> str:
    """Return the first program of a system whose programs lie in a store; "" for another."""
    paths = [f"{profile}/{name}" for profile in _PROFILES for name in _FIRST_PROGRAMS]
    # An image that was just made may have no profile: the line names the system in the store.
    paths += [f"{_STORE}/{name}/init" for name in reversed(view.names(_STORE)) if _SYSTEM in name]
    return next((path for path in paths if view.kind(path) == "file"), "")
