"""Techniques of the stage `image`: one file each, registered in `bootlab.techniques.registry`."""
