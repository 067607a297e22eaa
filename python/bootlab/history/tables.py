# SPDX-License-Identifier: MIT
"""The tables of the history, as the newest migration leaves them."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)

# SQLite numbers rows by itself only in a column of this very type.
_NUMBER = BigInteger().with_variant(Integer, "sqlite")

METADATA = MetaData()

BOOTS = Table(
    "boots",
    METADATA,
    Column("id", _NUMBER, primary_key=True, autoincrement=True),
    Column("uid", String(64), nullable=False, unique=True),
    Column("system", String(200), nullable=False),
    Column("revision", String(200), nullable=False),
    Column("variant", String(200), nullable=False),
    Column("session", String(64), nullable=False),
    Column("at", String(40), nullable=False),
    Column("host", String(200), nullable=False),
    Column("outcome", String(40), nullable=False),
    Column("clock", String(20), nullable=False),
    Column("exact", Boolean, nullable=False),
    Column("insns", BigInteger),
    Column("recording_key", String(128), nullable=False),
    Column("object", String(64), nullable=False),
    Column("facts", Text, nullable=False),
    Column("digest", String(64), nullable=False),
    Index("boots_of_a_system", "system", "at"),
)
"""One row a boot. `object`: the digest of its recording among the objects, "" without one; `facts`: JSON;
`digest`: of the row and its values (:mod:`bootlab.history.rows`)."""

VALUES = Table(
    "boot_values",
    METADATA,
    Column("boot", _NUMBER, ForeignKey("boots.id", ondelete="CASCADE"), primary_key=True),
    Column("name", String(200), primary_key=True),
    Column("ns", BigInteger),
    Column("why_not", Text, nullable=False),
)
"""One row a value of a boot, nanoseconds; NULL where it was not measured, and why."""
