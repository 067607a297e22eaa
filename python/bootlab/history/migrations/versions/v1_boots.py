# SPDX-License-Identifier: MIT
"""The first tables: boots and their values."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision: str | None = None
branch_labels: str | None = None
depends_on: str | None = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Make them."""
    op.create_table(
        "boots",
        sa.Column("id", _NUMBER, primary_key=True, autoincrement=True),
        sa.Column("uid", sa.String(64), nullable=False, unique=True),
        sa.Column("system", sa.String(200), nullable=False),
        sa.Column("revision", sa.String(200), nullable=False),
        sa.Column("variant", sa.String(200), nullable=False),
        sa.Column("at", sa.String(40), nullable=False),
        sa.Column("outcome", sa.String(40), nullable=False),
        sa.Column("clock", sa.String(20), nullable=False),
        sa.Column("exact", sa.Boolean, nullable=False),
        sa.Column("insns", sa.BigInteger),
        sa.Column("recording_key", sa.String(128), nullable=False),
        sa.Column("object", sa.String(64), nullable=False),
        sa.Column("facts", sa.Text, nullable=False),
    )
    op.create_table(
        "boot_values",
        sa.Column("boot", _NUMBER, sa.ForeignKey("boots.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("name", sa.String(200), primary_key=True),
        sa.Column("ns", sa.BigInteger),
        sa.Column("why_not", sa.Text, nullable=False),
    )
