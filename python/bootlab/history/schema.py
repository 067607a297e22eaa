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
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    steps = ScriptDirectory.from_config(config)
    with engine.connect() as connection:
        if connection.dialect.has_table(connection, "alembic_version"):
            found = MigrationContext.configure(connection).get_current_revision()
            if found is not None and found not in {step.revision for step in steps.walk_revisions()}:
                raise UserError(
                    f"the history has tables of version {found}, which a newer bootlab made", hint="upgrade bootlab"
                )
            if found == (steps.get_current_head() if revision == "head" else revision):
                return
    with engine.begin() as connection:
        # SQLite's transaction locks by itself.
        if connection.dialect.name == "postgresql":
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
