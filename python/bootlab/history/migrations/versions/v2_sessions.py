# SPDX-License-Identifier: MIT
"""Which boots were made together, on which host; an index for the trend of one system."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision: str | None = "1"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    """Add them; boots from before have neither."""
    op.add_column("boots", sa.Column("session", sa.String(64), nullable=False, server_default=""))
    op.add_column("boots", sa.Column("host", sa.String(200), nullable=False, server_default=""))
    op.create_index("boots_of_a_system", "boots", ["system", "at"])
