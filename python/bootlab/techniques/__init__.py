"""The catalogue: one file a technique, grouped by the stage it works on; `registry` lists them all."""
