"""Techniques of the stage `firmware`: one file each, registered in `bootlab.techniques.registry`."""
