# SPDX-License-Identifier: MIT
"""What Alembic runs: the steps, on the connection that :mod:`bootlab.history.database` opened and locked."""

from __future__ import annotations

from alembic import context

from bootlab.history.tables import METADATA

# Only Alembic gives the module a configuration; whoever else imports it changes nothing.
if getattr(context, "config", None) is not None:
    context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
    with context.begin_transaction():
        context.run_migrations()
