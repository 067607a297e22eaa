# SPDX-License-Identifier: MIT
"""Proof that a booted kernel was built another way: by the configuration kept with its recording, and by its bytes."""

from __future__ import annotations

from bootlab.model.verdict import Effect
from bootlab.techniques.base import Evidence


def built_with(before: Evidence, after: Evidence, options: tuple[tuple[str, str], ...]) -> Effect:
    """Prove that the image which booted was built with options that the base's image was built without.

    A recording holds the configuration as `olddefconfig` left it, together with the digest of the image that was
    booted. One changed option is enough: of a list, those that the base does not have stay as they are.
    """
    image = images_differ(before, after)
    if not image.shown:
        return image
    old, new = before.recording.kernel_config, after.recording.kernel_config
    if not old or not new:
        return Effect(False, "the recording does not contain the configuration that the kernel was built with")
    changed: list[str] = []
    for option, value in options:
        was, now = old.get(f"CONFIG_{option}", "n"), new.get(f"CONFIG_{option}", "n")
        if now != value:
            return Effect(False, f"CONFIG_{option} is {_shown(now)} in the kernel that booted, not {_shown(value)}")
        if was != now:
            changed.append(f"CONFIG_{option}: {_shown(was)} -> {_shown(now)}")
    if not changed:
        return Effect(False, "the base's kernel was built with the same options")
    more = f" and {len(changed) - 4} more" if len(changed) > 4 else ""
    return Effect(True, f"{', '.join(changed[:4])}{more}; {image.evidence}")


def options_asked(before: Evidence, after: Evidence, value: str) -> tuple[tuple[str, str], ...]:
    """Return the options that changes set to a value in the second system and not in the first."""
    was = _options_of_changes(before)
    return tuple(pair for pair in _options_of_changes(after) if pair not in was and pair[1] == value)


def _options_of_changes(evidence: Evidence) -> list[tuple[str, str]]:
    build = evidence.system.kernel.build
    return [pair for change in build.changes for pair in change] if build is not None else []


def images_differ(before: Evidence, after: Evidence) -> Effect:
    """Prove that another kernel image was booted, by its digest; with its size before and after."""
    return artefacts_differ(before, after, "kernel", "kernel image", "image")


def artefacts_differ(before: Evidence, after: Evidence, artefact: str, name: str, short: str) -> Effect:
    """Prove by its digest that another artefact was booted. `name` and `short`: what people call it."""
    old, new = before.recording.meta, after.recording.meta
    was, now = old.artefact_sha256.get(artefact), new.artefact_sha256.get(artefact)
    if was is None or now is None:
        return Effect(False, f"the recording does not say which {name} was booted")
    if was == now:
        return Effect(False, f"the same {name} was booted, byte for byte")
    sizes = [meta.artefact_bytes.get(artefact) for meta in (old, new)]
    return Effect(True, f"{short} {sizes[0]} -> {sizes[1]} bytes")


def _shown(value: str) -> str:
    return {"n": "off", "": '""'}.get(value, value)
