"""Calls Python functions on processes of plbrun, and reads its reports (`--report`) and traces (`--trace`).

    list(plbrun.map(function, items))      # on all cores of this host, or of several
    plbrun.Executor()                      # the same with the interface of concurrent.futures

    run = plbrun.read("run.json")          # one run
    run.pus, run["makespan_s"]             # a table of its PUs, a number
    plbrun.table(["a.json", "b.json"])     # a row for each run
    plbrun.read_trace("trace.json")        # a table of its events
    plbrun.plots                           # share, curves, gantt: with matplotlib

Seconds, bytes, joules and units are as in the report; `plbrun.meaning(key)` tells what a key says.
"""

from plbrun._version import VERSION as __version__
from plbrun.pool import Executor, Lost, map

__all__ = ["Executor", "FormatError", "Lost", "Report", "cut", "map", "meaning", "read", "read_trace"]
__all__ += ["schema", "table"]

_TABLES = {"read_trace": "trace", "cut": "trace"}  # the others are in report


def __getattr__(name):
    """Reports and traces need pandas, which takes half a second to load."""
    import importlib

    if name == "plots":
        return importlib.import_module("plbrun.plots")
    if name in __all__:
        return getattr(importlib.import_module(f"plbrun.{_TABLES.get(name, 'report')}"), name)
    raise AttributeError(f"module 'plbrun' has no attribute {name!r}")
