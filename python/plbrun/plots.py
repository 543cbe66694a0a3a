"""Plots of runs, with matplotlib. Each draws on the Axes that it is given, or on new ones, and returns them."""

import matplotlib.pyplot as plt
import numpy as np

_COLOURS = {"task": "#4477aa", "transfer": "#ccbb44", "wait": "#dddddd", "solve": "#aa3377"}


def _axes(ax, rows):
    return ax if ax is not None else plt.subplots(figsize=(8, 1.5 + 0.3 * rows))[1]


def _legend(ax, columns):
    """Below the axes, where it hides nothing."""
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.35), ncol=columns, frameon=False)


def _label(pu):
    return f"{pu.name}: {pu['name']}"


def shares(report, ax=None):
    """Where the time of each PU went: it worked, waited for inputs, or had nothing to do."""
    pus = report.pus
    ax = _axes(ax, len(pus))
    labels = [_label(pu) for _, pu in pus.iterrows()]
    copies = pus["transfer_s"].clip(upper=pus["busy_s"])
    ax.barh(labels, pus["busy_s"] - copies, color=_COLOURS["task"], label="computes")
    ax.barh(labels, copies, left=pus["busy_s"] - copies, color=_COLOURS["transfer"], label="copies")
    ax.barh(labels, pus["idle_s"], left=pus["busy_s"], color=_COLOURS["wait"], label="idle")
    ax.invert_yaxis()
    ax.set_xlabel("seconds")
    ax.set_title(f"{report['app']} with {report['balancer']}, {report['makespan_s']:.3g} s")
    _legend(ax, 3)
    return ax


def curves(report, ax=None, points=200):
    """The fitted curve of each PU, where it was measured: seconds for so many units."""
    ax = _axes(ax, 12)
    for pu, row in report.pus.iterrows():
        if not row["curve"]:
            continue
        sizes = np.geomspace(max(row["curve"]["low"], 1e-9), row["curve"]["high"], points)
        ax.loglog(sizes, report.seconds(pu, sizes), label=_label(row))
    ax.set_xlabel("units of average cost")
    ax.set_ylabel("seconds")
    ax.legend()
    return ax


def gantt(trace, ax=None):
    """When each PU did what. trace: from plbrun.read_trace."""
    lanes = sorted(trace["pu"].dropna().unique())
    names = trace.attrs.get("names", {})
    ax = _axes(ax, len(lanes) + 1)
    row_of = {pu: i for i, pu in enumerate(lanes)}
    rows = trace["pu"].map(lambda pu: row_of.get(pu, len(lanes)), na_action=None)
    for event, colour in _COLOURS.items():
        chosen = trace["event"] == event
        spans = trace[chosen]
        ax.barh(rows[chosen], spans["seconds"], left=spans["start_s"], color=colour, label=event, height=0.8)
    ax.set_yticks(range(len(lanes) + 1), [names.get(pu, f"PU {pu}") for pu in lanes] + ["master"])
    ax.invert_yaxis()
    ax.set_xlabel("seconds")
    _legend(ax, 4)
    return ax
