"""Advice without a boot: what a configuration, a command line and a log say about each technique."""

from bootlab.advice.check import check
from bootlab.advice.facts import Facts, gather
from bootlab.advice.finding import Finding

__all__ = ["Facts", "Finding", "check", "gather"]
