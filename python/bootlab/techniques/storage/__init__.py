"""Techniques of the stage `storage`: one file each, registered in `bootlab.techniques.registry`."""
