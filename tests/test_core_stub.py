# SPDX-License-Identifier: MIT
"""The stub of the native core says what the binary has: the same names, the same parameters."""

import ast
import inspect
from pathlib import Path

import pytest

from bootlab import _core

STUB = Path(_core.__file__).with_name("_core.pyi")
TREE = ast.parse(STUB.read_text(encoding="utf-8"))


def public(nodes):
    kinds = (ast.FunctionDef, ast.ClassDef)
    return {node.name: node for node in nodes if isinstance(node, kinds) and not node.name.startswith("_")}


def parameters(node: ast.FunctionDef) -> list[tuple[str, str, bool]]:
    """Return name, kind and whether there is a default, without self."""
    given = node.args
    found = [(a.arg, "positional") for a in given.posonlyargs] + [(a.arg, "any") for a in given.args]
    defaults = [False] * (len(found) - len(given.defaults)) + [True] * len(given.defaults)
    rows = [(name, kind, default) for (name, kind), default in zip(found, defaults, strict=True)]
    rows += [(a.arg, "keyword", d is not None) for a, d in zip(given.kwonlyargs, given.kw_defaults, strict=True)]
    return [row for row in rows if row[0] != "self"]


def of_binary(function) -> list[tuple[str, str, bool]]:
    words = {
        inspect.Parameter.POSITIONAL_ONLY: "positional",
        inspect.Parameter.POSITIONAL_OR_KEYWORD: "any",
        inspect.Parameter.KEYWORD_ONLY: "keyword",
    }
    rows = inspect.signature(function).parameters.values()
    return [(p.name, words[p.kind], p.default is not p.empty) for p in rows if p.name != "self"]


FUNCTIONS = [
    *((_core, node) for node in public(TREE.body).values() if isinstance(node, ast.FunctionDef)),
    *((_core.Analysis, node) for node in public(public(TREE.body)["Analysis"].body).values()),
]


def test_names():
    assert set(public(TREE.body)) == {name for name in vars(_core) if not name.startswith("_")}
    assert set(public(public(TREE.body)["Analysis"].body)) == {n for n in vars(_core.Analysis) if not n.startswith("_")}


@pytest.mark.parametrize(("owner", "node"), FUNCTIONS, ids=[node.name for _, node in FUNCTIONS])
def test_parameters(owner, node):
    assert parameters(node) == of_binary(getattr(owner, node.name))
