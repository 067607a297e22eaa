# SPDX-License-Identifier: MIT
"""The types of what pages are given, and the scripts that read it."""

from __future__ import annotations

import re

import pytest

from bootlab.views import page_model
from bootlab.views.run import page_data as run_page
from tests.conftest import REPOSITORY

TEMPLATES = REPOSITORY / "python" / "bootlab" / "views" / "templates"
SCRIPTS = "\n".join(path.read_text(encoding="utf-8") for path in sorted(TEMPLATES.glob("*.js")))
MODELS = [
    model
    for name, model in vars(page_model).items()
    if name.endswith("Data") and model.__module__ == page_model.__name__
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_a_page_is_given_nothing_that_no_script_reads(model):
    unread = [name for name in model.__annotations__ if not re.search(rf"\b{name}\b", SCRIPTS)]
    assert not unread, f"no script of {TEMPLATES.name}/ reads them"


@pytest.mark.parametrize("names", [run_page.RUN, run_page.BOOT, run_page.STAGE, run_page.TRIAL])
def test_a_runs_page_is_given_no_field_of_its_document_that_no_script_reads(names):
    unread = [name for name in names if not re.search(rf"\.{name}\b|\b{name}:", SCRIPTS)]
    assert not unread, f"no script of {TEMPLATES.name}/ reads them"
