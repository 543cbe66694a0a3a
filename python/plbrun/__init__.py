"""Reads reports (`--report`) and traces (`--trace`) of plbrun.

    run = plbrun.read("run.json")          # one run
    run.pus, run["makespan_s"]             # a table of its PUs, a number
    plbrun.table(["a.json", "b.json"])     # a row for each run
    plbrun.read_trace("trace.json")        # a table of its events
    plbrun.plots                           # share, curves, gantt: with matplotlib

Seconds, bytes, joules and units are as in the report; `plbrun.meaning(key)` tells what a key says.
"""

from plbrun._version import VERSION as __version__
from plbrun.report import FormatError, Report, meaning, read, schema, table
from plbrun.trace import cut, read_trace

__all__ = ["FormatError", "Report", "cut", "meaning", "read", "read_trace", "schema", "table"]


def __getattr__(name):
    if name == "plots":
        import importlib

        return importlib.import_module("plbrun.plots")
    raise AttributeError(f"module 'plbrun' has no attribute {name!r}")
