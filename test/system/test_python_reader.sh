#!/usr/bin/env bash
# The Python package: reports and traces as tables and plots, and the notebook that shows it.
. "$(dirname "$0")/../support/lib.sh"
[ -z "${SAN:-}" ] || { skip "the Python package" "none of it is in C"; done_testing; }
python=$(python_with 'pandas, matplotlib') || {
    skip "the Python package" "apt-get install python3-pandas python3-matplotlib"; done_testing
}
export PYTHONPATH=$root/python PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=agg MPLCONFIGDIR=$tmp
cd "$tmp" || exit 1

for balancer in sure greedy; do
    "$PLBRUN" --simulate "$root/hostfiles/demo.cluster" --balancer $balancer --report $balancer.json \
        --trace $balancer.trace.json "$root/examples/demo/app.conf" >>out 2>&1
done

# checks NAME: the program on standard input ends well.
checks() {
    "$python" - >out 2>&1
    ok "$1" $?
}
checks "a report is numbers and tables" <<'END'
import json, plbrun
run, fields = plbrun.read("sure.json"), json.load(open("sure.json"))
assert run["makespan_s"] == fields["makespan_s"] and "6 PUs" in repr(run)
assert list(run.pus["units"]) == [pu["units"] for pu in fields["pus"]] and run.pus["units"].sum() == 12000
assert run.settings["balance.balancer"] == "sure" and run.phases["passes"][0] == 1
assert run.costs["count"].sum() == sum(row["count"] for row in fields["costs"])
assert "executed tasks" in plbrun.meaning("pus.busy_s")
END
checks "a curve gives the seconds that were measured" <<'END'
import plbrun
run = plbrun.read("sure.json")
for pu, row in run.pus.iterrows():  # the mean task, by the curve and as it was
    seconds = run.seconds(pu, [row["units"] / row["tasks"]])[0]
    assert 0.5 < seconds / (row["busy_s"] / row["tasks"]) < 2, (pu, seconds)
END
checks "runs beside each other" <<'END'
import plbrun
both = plbrun.table(["sure.json", plbrun.read("greedy.json")])
assert list(both["balancer"]) == ["sure", "greedy"] and both["makespan_s"].is_monotonic_increasing
assert [c for c in both.columns if "." in c] == ["balance.balancer"], list(both.columns)
END
checks "the same file, twice" <<'END'
import plbrun
again, other = plbrun.read("sure.json"), plbrun.read("greedy.json")
other.path = again.path  # as where a file was written anew
assert len(plbrun.table(["sure.json", "sure.json"])) == 2
assert list(plbrun.table([again, other])["balance.balancer"]) == ["sure", "greedy"]
END
checks "a trace has the units and times of its report" <<'END'
import plbrun
run, trace = plbrun.read("sure.json"), plbrun.read_trace("sure.trace.json")
tasks = trace[trace["event"] == "task"]
assert list(tasks.groupby("pu")["count"].sum()) == list(run.pus["units"])
assert list(tasks.groupby("pu")["seconds"].count()) == list(run.pus["tasks"])
assert abs((trace["start_s"] + trace["seconds"]).max() - run["makespan_s"]) < 1e-3 * run["makespan_s"]
assert trace[trace["event"] == "solve"]["pu"].isna().all() and trace["start_s"].is_monotonic_increasing
END
checks "a part of a trace is a trace" <<'END'
import plbrun
whole = plbrun.read_trace("sure.trace.json")
middle = whole["start_s"].max() / 2
n = plbrun.cut("sure.trace.json", "part.json", start_s=middle)
part = plbrun.read_trace("part.json")
assert n == len(part) == ((whole["start_s"] + whole["seconds"]) > middle).sum() and 0 < n < len(whole)
END
checks "another file is refused in one sentence" <<'END'
import json, plbrun
open("text.json", "w").write("hello")
old = json.load(open("sure.json")); old["schema"] = 1; json.dump(old, open("old.json", "w"))
cut = json.load(open("sure.json")); del cut["solves"]; json.dump(cut, open("cut.json", "w"))
open("deep.json", "w").write("[" * 100000)
for key, value in ("pus", None), ("pus", [3]), ("makespan_s", None), ("settings", [{"key": "a"}]):
    odd = json.load(open("sure.json")); odd[key] = value
    json.dump(odd, open(f"odd-{key}-{value is None}.json", "w"))
for file, words in ("text.json", "is no JSON"), ("sure.trace.json", "is no report"), \
        ("old.json", "is version 1"), ("cut.json", "has no 'solves'"), ("deep.json", "is no JSON"), \
        ("odd-pus-True.json", "'pus' is not"), ("odd-pus-False.json", "'pus' is not"), \
        ("odd-makespan_s-True.json", "'makespan_s' is not"), ("odd-settings-False.json", "'settings' is not"):
    try:
        plbrun.read(file)
        raise SystemExit(f"{file} was read")
    except plbrun.FormatError as error:
        assert words in str(error) and file in str(error) and "\n" not in str(error), error
try:
    plbrun.read_trace("sure.json")
    raise SystemExit("a report was read as a trace")
except plbrun.FormatError as error:
    assert "is no trace" in str(error)
for event in 1, {"ph": "X"}:
    json.dump({"traceEvents": [{"ph": "M"}, event]}, open("odd.json", "w"))
    try:
        plbrun.read_trace("odd.json")
        raise SystemExit(f"{event} was read")
    except plbrun.FormatError as error:
        assert "odd.json: event 1 is not" in str(error), error
END
checks "the notebook's cells run" <<END
import json
names = {}
for cell in json.load(open("$root/examples/notebook/runs.ipynb"))["cells"]:
    if cell["cell_type"] == "code":
        exec("".join(cell["source"]), names)
assert len(names["runs"]) == 2 and len(names["trace"]) > 10
END
checks "the package has plbrun's version" <<END
import plbrun
assert '"%s"' % plbrun.__version__ in open("$root/runtime/base/version.h").read()
END
done_testing
