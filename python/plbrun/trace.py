"""Traces: what `plbrun --trace FILE.json` writes, in the Trace Event Format that Perfetto shows."""

import gzip
import json

import pandas as pd

from plbrun.report import FormatError, _load

_COLUMNS = ["event", "node", "pu", "start_s", "seconds", "first", "count", "pass", "block"]
_SPAN = {"name", "pid", "tid", "ts", "dur"}  # keys of an event with a length


def read_trace(path):
    """The events of a trace, a row each, in the order of their begin.

    event: "task", "transfer", "wait" or "solve". pu: its id; <NA> where it is the master.
    start_s, seconds: since the begin of the run. first, count, pass, block: <NA> where an event has no units.
    """
    return _table(_events(path), path)


def _events(path):
    trace = _load(path)
    if not isinstance(trace, dict) or not isinstance(trace.get("traceEvents"), list):
        raise FormatError(f"{path}: this is no trace of plbrun; plbrun --trace {path} writes one (.json)")
    for number, event in enumerate(trace["traceEvents"]):
        if not isinstance(event, dict) or (event.get("ph") == "X" and not _SPAN <= event.keys()):
            raise FormatError(f"{path}: event {number} is not what a trace of plbrun has there; it is damaged")
    return trace["traceEvents"]


def _table(events, path):
    names = {
        (event["pid"], event["tid"]): event["args"]["name"]
        for event in events
        if event.get("name") == "thread_name"
    }
    rows = []
    for event in events:
        if event.get("ph") != "X":
            continue
        units = event.get("args", {})
        master = names.get((event["pid"], event["tid"])) == "master"
        rows.append(
            (
                event["name"],
                event["pid"],
                None if master else event["tid"],
                event["ts"] * 1e-6,
                event["dur"] * 1e-6,
                *(units.get(key) for key in ("first", "count", "pass", "block")),
            )
        )
    result = pd.DataFrame(rows, columns=_COLUMNS)
    for column in ("pu", "first", "count", "pass", "block"):
        result[column] = result[column].astype("Int64")
    result.attrs["names"] = {tid: name for (_, tid), name in names.items() if name != "master"}
    result.attrs["path"] = str(path)
    return result.sort_values("start_s", kind="stable", ignore_index=True)


def cut(path, to, start_s=0.0, end_s=float("inf")):
    """Writes the events between two times of a trace to another file, for Perfetto (ui.perfetto.dev).

    Of a long run Perfetto then opens a part in no time. The file is compressed where its name ends in .gz.
    Returns the number of events.
    """
    events = [
        event
        for event in _events(path)
        if event.get("ph") != "X" or (event["ts"] < end_s * 1e6 and event["ts"] + event["dur"] > start_s * 1e6)
    ]
    opener = gzip.open if str(to).endswith(".gz") else open
    with opener(to, "wt", encoding="utf-8") as file:
        json.dump({"displayTimeUnit": "ms", "traceEvents": events}, file)
    return sum(event.get("ph") == "X" for event in events)
