"""Reports: what `plbrun --report FILE.json` writes. docs/reference/report.schema.json is their format."""

import functools
import importlib.resources
import json
import math

import pandas as pd


class FormatError(ValueError):
    """A file is no report, or no trace, that this version reads."""


@functools.lru_cache(maxsize=None)
def schema():
    """The JSON Schema of reports, as a dictionary."""
    text = importlib.resources.files("plbrun").joinpath("report.schema.json").read_text(encoding="utf-8")
    return json.loads(text)


def meaning(key):
    """The sentences of the format about a key, such as "idle_pct" or "pus.busy_s"."""
    here = schema()
    for part in key.split("."):
        here = here.get("items", here)
        if part not in here.get("properties", {}):
            raise KeyError(f"{key}: reports have no such key")
        here = here["properties"][part]
    return here.get("description", "")


def _load(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (ValueError, RecursionError) as error:  # of JSON, or of UTF-8; of thousands of brackets
        raise FormatError(f"{path}: this is no JSON file: {error}") from error


_TYPES = {
    "array": list,
    "boolean": bool,
    "integer": int,
    "null": type(None),
    "number": (int, float),
    "object": dict,
    "string": str,
}


def _fits(value, known):
    """Whether a value has the type of the format, and rows have all keys."""
    types = known["type"] if isinstance(known["type"], list) else [known["type"]]
    if not any(isinstance(value, _TYPES[name]) for name in types):
        return False
    keys = set(known.get("items", {}).get("required", []))
    return not isinstance(value, list) or all(isinstance(row, dict) and keys <= row.keys() for row in value)


def read(path):
    """The report in a file. A FormatError says in one sentence why it is none."""
    fields = _load(path)
    known = schema()["properties"]["schema"]["const"]
    if not isinstance(fields, dict) or "schema" not in fields or "pus" not in fields:
        raise FormatError(f"{path}: this is no report of plbrun; plbrun --report {path} writes one")
    if fields["schema"] != known:
        raise FormatError(
            f"{path}: its format is version {fields['schema']} and this package reads {known}; "
            "install the package of the plbrun that wrote it"
        )
    missing = [key for key in schema()["required"] if key not in fields]
    if missing:
        raise FormatError(f"{path}: the report has no {missing[0]!r}; it is damaged")
    for key, known_key in schema()["properties"].items():
        if key in fields and not _fits(fields[key], known_key):
            raise FormatError(f"{path}: {key!r} is not what a report has there; it is damaged")
    return Report(fields, str(path))


def _flat(rows):
    """A list of objects as a table; objects within stay as they are, and null becomes NaN or None."""
    return pd.DataFrame(rows)


class Report:
    """One run. Keys as in docs/reference/report-keys.md: report["makespan_s"]; lists are tables (pandas).

    Null is NaN in tables and None elsewhere. Nothing is written back to the file.
    """

    def __init__(self, fields, path):
        self.fields = fields
        self.path = path

    def __getitem__(self, key):
        value = self.fields[key]
        return _flat(value) if isinstance(value, list) else value

    def __repr__(self):
        return (
            f"<plbrun report {self.path}: {self.fields['app']} with {self.fields['balancer']}, "
            f"{len(self.fields['pus'])} PUs, {self.fields['makespan_s']:.4g} s>"
        )

    @property
    def pus(self):
        """A row for each PU, by its id."""
        return self["pus"].set_index("id") if self.fields["pus"] else self["pus"]

    @property
    def phases(self):
        """A row for each phase of the kernel."""
        return self["phase_times"]

    @property
    def costs(self):
        """What units cost, as plbrun learned it: rows of first, count and cost."""
        return self["costs"] if "costs" in self.fields else _flat([])

    @property
    def settings(self):
        """The value of every setting, by "section.key"."""
        rows = self.fields["settings"]
        return pd.Series({f"{row['section']}.{row['key']}": row["value"] for row in rows}, dtype=object)

    def seconds(self, pu, sizes):
        """What the fitted curve of a PU says of so many units of average cost, in seconds.

        NaN where it was not measured. Below and above the measured sizes this is a guess.
        """
        curve = self.fields["pus"][pu]["curve"]
        if curve is None:
            return [math.nan for _ in sizes]
        terms = [(_TERMS[term["term"]], term["seconds"]) for term in curve["terms"]]
        return [sum(factor * f(size / curve["scale"]) for f, factor in terms) for size in sizes]


_TERMS = {
    "1": lambda u: 1.0,
    "u": lambda u: u,
    "u^2": lambda u: u * u,
    "u^3": lambda u: u * u * u,
    "e^u": math.exp,
    "ln u": math.log,
    "u e^u": lambda u: u * math.exp(u),
    "u ln u": lambda u: u * math.log(u),
}


def table(reports):
    """A row for each run with its numbers and texts, and with the settings that differ between them.

    reports: paths or Reports. A setting is a column "section.key".
    """
    runs = [run if isinstance(run, Report) else read(run) for run in reports]
    rows = [
        {key: value for key, value in run.fields.items() if not isinstance(value, (list, dict))} for run in runs
    ]
    result = pd.DataFrame(rows, index=[run.path for run in runs])
    settings = pd.DataFrame([run.settings for run in runs], index=result.index)
    differing = [key for key in settings.columns if settings[key].nunique(dropna=False) > 1]
    return pd.concat([result, settings[differing]], axis=1)  # a join would mix rows of one path
