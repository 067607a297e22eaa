# SPDX-License-Identifier: MIT
"""Advice without a boot: what a configuration, a command line and a log say about each technique.

Nothing is imported here: `bootlab.advice.application` belongs to the reading of logs, which loads no catalogue.
"""
