# SPDX-License-Identifier: MIT
"""A digest of each boot and its values, which is checked when they are read."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

from bootlab.history.rows import digest_of

revision = "3"
down_revision: str | None = "2"
branch_labels: str | None = None
depends_on: str | None = None

_AT_ONCE = 500
_TEXTS = ("uid", "system", "revision", "variant", "session", "at", "host", "outcome", "clock", "recording_key", "facts")
_BOOTS = sa.table(
    "boots",
    sa.column("id", sa.BigInteger),
    *(sa.column(name, sa.Text) for name in (*_TEXTS, "digest")),
    sa.column("exact", sa.Boolean),
    sa.column("insns", sa.BigInteger),
)
_VALUES = sa.table(
    "boot_values",
    sa.column("boot", sa.BigInteger),
    sa.column("name", sa.Text),
    sa.column("ns", sa.BigInteger),
    sa.column("why_not", sa.Text),
)


def upgrade() -> None:
    """Add it: boots from before are taken as they are now."""
    op.add_column("boots", sa.Column("digest", sa.String(64), nullable=False, server_default=""))
    connection = op.get_bind()
    last = -1
    while boots := _next(connection, last):
        numbers = [boot["id"] for boot in boots]
        values: dict[int, list[Any]] = {number: [] for number in numbers}
        for boot, *value in connection.execute(sa.select(_VALUES).where(_VALUES.c.boot.in_(numbers))):
            values[boot].append(tuple(value))
        for row in boots:
            said = {"digest": digest_of(row, values[row["id"]])}
            connection.execute(sa.update(_BOOTS).where(_BOOTS.c.id == row["id"]).values(said))
        last = numbers[-1]


def _next(connection: sa.Connection, last: int) -> list[Any]:
    chosen = sa.select(_BOOTS).where(_BOOTS.c.id > last).order_by(_BOOTS.c.id).limit(_AT_ONCE)
    return list(connection.execute(chosen).mappings().all())
