"""The types of what pages are given, and the scripts that read it."""

from __future__ import annotations

import re

import pytest

from bootlab.views import page_model
from bootlab.views.run import page_model as run_model
from tests.conftest import REPOSITORY

TEMPLATES = REPOSITORY / "python" / "bootlab" / "views" / "templates"
SCRIPTS = "\n".join(path.read_text(encoding="utf-8") for path in sorted(TEMPLATES.glob("*.js")))
MODELS = [
    model
    for module in (page_model, run_model)
    for name, model in vars(module).items()
    if name.endswith("Data") and model.__module__ == module.__name__
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_a_page_is_given_nothing_that_no_script_reads(model):
    unread = [name for name in model.__annotations__ if not re.search(rf"\b{name}\b", SCRIPTS)]
    assert not unread, f"no script of {TEMPLATES.name}/ reads them"
