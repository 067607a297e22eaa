"""Techniques of the stage `kernel`: one file each, registered in `bootlab.techniques.registry`."""
