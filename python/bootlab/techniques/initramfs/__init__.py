"""Techniques of the stage `initramfs`: one file each, registered in `bootlab.techniques.registry`."""
