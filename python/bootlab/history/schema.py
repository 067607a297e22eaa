# SPDX-License-Identifier: MIT
"""Brings the tables of a history up to date: Alembic's steps, one program at a time."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from bootlab.errors import UserError

_LOCK = 0x626F6F74
"""Names the lock that one program holds in PostgreSQL while it changes tables ("boot")."""


def upgrade(engine: sa.Engine, revision: str = "head") -> None:
    """Make the tables, or change those of an older bootlab. Raise UserError for those of a newer one."""
    config = _config()
    steps = ScriptDirectory.from_config(config)
    if _found(engine, steps) == (steps.get_current_head() if revision == "head" else revision):
        return
    with engine.begin() as connection:
        # SQLite's transaction locks by itself.
        if connection.dialect.name == "postgresql":
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


def require_newest(engine: sa.Engine) -> None:
    """Raise UserError where the tables are not those of this bootlab. Changes nothing."""
    steps = ScriptDirectory.from_config(_config())
    found = _found(engine, steps)
    if found != steps.get_current_head():
        what = "no tables yet" if found is None else f"tables of version {found}, which an older bootlab made"
        raise UserError(f"the history has {what}", hint="bootlab history show makes or changes them")


def is_made(engine: sa.Engine) -> bool:
    """Tell whether there are tables of a history."""
    with engine.connect() as connection:
        return connection.dialect.has_table(connection, "alembic_version")


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    return config


def _found(engine: sa.Engine, steps: ScriptDirectory) -> str | None:
    """Return the version of the tables, None without any. Raise UserError for those of a newer bootlab."""
    with engine.connect() as connection:
        if not connection.dialect.has_table(connection, "alembic_version"):
            return None
        found = MigrationContext.configure(connection).get_current_revision()
    if found is not None and found not in {step.revision for step in steps.walk_revisions()}:
        raise UserError(
            f"the history has tables of version {found}, which a newer bootlab made", hint="upgrade bootlab"
        )
    return found
