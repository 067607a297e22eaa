"""The card that a board starts from, with its boot loader."""
