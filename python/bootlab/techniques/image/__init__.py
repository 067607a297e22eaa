"""Techniques of the stage `image`: one file a mechanism, registered in `bootlab.techniques.registry`."""
