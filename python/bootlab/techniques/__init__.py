"""The catalogue: one file a technique, grouped by the stage it works on; `registry` lists them all."""

from bootlab.techniques.registry import Problem, UnknownTechnique, all_techniques, catalogue, get

__all__ = ["Problem", "UnknownTechnique", "all_techniques", "catalogue", "get"]
