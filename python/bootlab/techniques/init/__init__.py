"""Techniques of the stage `init`: one file each, registered in `bootlab.techniques.registry`."""
