#!/usr/bin/env bash
# --pareto: the front of time and energy in its formats, beside brute force and simulated runs.
. "$(dirname "$0")/../support/lib.sh"

# Three PUs on two nodes: the cheapest alone takes 7 times as long as all of them.
lines "$tmp/three.cluster" '[pu a]' 'rate = 1e9' 'static_watts = 4' 'dynamic_watts = 10' \
    '[pu b]' 'rate = 2e9' 'static_watts = 5' 'dynamic_watts = 60' \
    '[pu c]' 'kind = gpu' 'rate = 4e9' 'static_watts = 3' 'dynamic_watts = 240' \
    '[node one]' 'pus = a, b' '[node two]' 'pus = c'
lines "$tmp/app.conf" '[app]' 'kernel = taylor' '[taylor]' 'width = 5000' 'height = 4000' \
    'order = 2000' "values = $tmp/v.npy"

# front SETTING...: leaves the table in out and the rest in f.json.
front() {
    "$PLBRUN" --simulate "$tmp/three.cluster" --pareto="$tmp/f.json" "$tmp/app.conf" "$@" >"$tmp/out" 2>&1 &&
        [ -s "$tmp/out" ]
}

front && front balance.objective=energy
ok "a simulation with --pareto" $?
# shellcheck disable=SC2094 # it is read before the first line is written
python3 - "$tmp/f.json" "$tmp/out" <<'END' >>"$tmp/out" 2>&1
import json, sys
front = json.load(open(sys.argv[1]))
rows, run = front["front"], front["run"]
near = lambda got, expected, part=1e-6: abs(got - expected) <= part * expected
speed, watts, static = (1, 2, 4), (10, 60, 240), 12
work = rows[0]["seconds"] * sum(speed)  # all PUs work in the first row

# The least energy within T, over a grid of shares of a and b; c does the rest.
def least(seconds, steps=100):
    best = float("inf")
    for i in range(steps + 1):
        for j in range(steps + 1):
            x = [speed[0] * seconds * i / steps, speed[1] * seconds * j / steps]
            x.append(work - sum(x))
            if -1e-9 * work <= x[2] <= speed[2] * seconds * (1 + 1e-9):
                t = [x[p] / speed[p] for p in range(3)]
                best = min(best, static * max(t) + sum(w * s for w, s in zip(watts, t)))
    return best

for row in rows:
    x = {pu["id"]: pu["share"] for pu in row["pus"]}
    assert near(sum(x.values()), 1), row
    assert all(x.get(p, 0) * work <= speed[p] * row["seconds"] * (1 + 1e-6) for p in range(3)), row
    assert near(row["joules"], static * row["seconds"]
                + sum(watts[p] * x.get(p, 0) * work / speed[p] for p in range(3))), row
    assert row["joules"] <= least(row["seconds"]) * (1 + 1e-6), row
    assert near(row["joules"], least(row["seconds"]), 0.01), row
corners = [work / 7, work / 3, work / 1]
assert all(any(near(row["seconds"], t) for row in rows) for t in corners), [r["seconds"] / work for r in rows]
assert rows[0]["marks"] == ["least time"] or "least EDP" in rows[0]["marks"]
assert rows[-1]["marks"][-1] == "least energy" and near(rows[-1]["joules"], 22 * work)
edp = min(rows, key=lambda row: row["seconds"] * row["joules"])
assert "least EDP" in edp["marks"] and sum(len(row["marks"]) for row in rows) == 3
assert 10 <= len(rows) <= 20
for before, row in zip(rows, rows[1:]):
    assert row["seconds"] > before["seconds"] and row["joules"] < before["joules"]

# The run with objective = energy, at the end of the front; the table has the same numbers.
assert near(run["joules"], rows[-1]["joules"], 0.03), (run, rows[-1])
assert near(run["least_joules"], run["joules"], 0.03), run
table = open(sys.argv[2]).read()
shown = [line.split() for line in table.split("front of time")[1].splitlines()[2:]]
assert len(shown) == len(rows) + 2 and shown[len(rows)][-2:] == ["this", "run"], table
scale = {"m": 1e-3, "k": 1e3, "M": 1e6}
for words, row in zip(shown, rows):
    for at, key in ((0, "seconds"), (2, "joules"), (4, "edp")):
        factor = scale.get(words[at + 1][0], 1) if len(words[at + 1].replace("Js", "J")) > 1 else 1
        assert near(float(words[at]) * factor, row[key], 1e-3), (words, row)
print(f"the run took {run['joules'] / rows[-1]['joules']:.4f} of the least energy")
END
ok "its rows are those of brute force, and a run for least energy is at their end" $?

# Deadlines of three rows in between: runs that keep them take about the energy of the row.
python3 -c 'import json, sys
rows = json.load(open(sys.argv[1]))["front"]
for row in rows[2], rows[len(rows) // 2], rows[-3]: print(row["seconds"])' "$tmp/f.json" >"$tmp/deadlines"
while read -r deadline; do
    front balance.objective=energy "balance.deadline=$deadline" || exit
    cp "$tmp/f.json" "$tmp/at-$deadline.json"
done <"$tmp/deadlines"
python3 - "$tmp"/at-*.json <<'END' >"$tmp/out" 2>&1
import json, sys
for name in sys.argv[1:]:
    deadline, front = float(name.split("at-")[1][:-5]), json.load(open(name))
    row = min(front["front"], key=lambda row: abs(row["seconds"] - deadline))
    ratio = front["run"]["joules"] / row["joules"]
    print(f"deadline {deadline:.2f} s: {front['run']['seconds']:.2f} s, {ratio:.3f} of the row's energy")
    assert front["run"]["seconds"] <= deadline and ratio <= 1.1, ratio
assert len(sys.argv) == 4
END
ok "runs with a row's deadline take about its energy" $?
cat "$tmp/out"

# Without a run.
"$PLBRUN" --simulate "$tmp/three.cluster" --dry-run --pareto="$tmp/dry.json" "$tmp/app.conf" \
    >"$tmp/out" 2>&1 &&
    ! grep -q 'this run' "$tmp/out" && grep -q 'least energy$' "$tmp/out" &&
    python3 - "$tmp/f.json" "$tmp/dry.json" <<'END' >>"$tmp/out" 2>&1
import json, sys
ran, dry = (json.load(open(name)) for name in sys.argv[1:])
assert dry["run"] is None and dry["front"] == ran["front"] and dry["from"] == "the .cluster file"
END
ok "a dry run has the same front, and no point of a run" $?

# A picture.
"$PLBRUN" --simulate "$tmp/three.cluster" --quiet --pareto="$tmp/f.svg" "$tmp/app.conf" >"$tmp/out" 2>&1 &&
    [ ! -s "$tmp/out" ] && python3 - "$tmp/f.svg" "$tmp/f.json" <<'END' >"$tmp/out" 2>&1
import json, sys, xml.etree.ElementTree as tree
svg = tree.parse(sys.argv[1]).getroot()
name = "{http://www.w3.org/2000/svg}"
points, rows = svg.findall(name + "circle"), json.load(open(sys.argv[2]))["front"]
assert len(points) == len(rows) + 1, len(points)
for point in points:
    assert 0 < float(point.get("cx")) < float(svg.get("width"))
    assert 0 < float(point.get("cy")) < float(svg.get("height"))
texts = [text.text for text in svg.findall(name + "text")]
assert "this run" in texts and any("least energy" in text for text in texts), texts
END
ok "a picture has the points of the front and of the run" $?

# PUs that draw nothing, one with a name that is not UTF-8.
lines "$tmp/zero.cluster" $'[pu \xe9]' 'rate = 1e9' 'static_watts = 0' 'dynamic_watts = 0' \
    '[node one]' $'pus = \xe9'
"$PLBRUN" --simulate "$tmp/zero.cluster" --pareto="$tmp/zero.svg" "$tmp/app.conf" >"$tmp/out" 2>&1 &&
    "$PLBRUN" --simulate "$tmp/zero.cluster" --pareto="$tmp/zero.json" "$tmp/app.conf" >>"$tmp/out" 2>&1 &&
    ! grep -aE 'nan|inf' "$tmp/out" "$tmp/zero.svg" &&
    python3 -c 'import json, sys
assert [pu["name"] for pu in json.load(open(sys.argv[1]))["pus"]] == ["?"]' "$tmp/zero.json" >>"$tmp/out" 2>&1
ok "PUs without watts have a front and a picture, whatever their names" $?

# A real run on two emulated PUs, and the profiles that it leaves.
lines "$tmp/two.cluster" '[pu a]' 'slowdown = 4' 'static_watts = 1' 'dynamic_watts = 1' \
    '[pu b]' 'static_watts = 2' 'dynamic_watts = 300' '[node one]' 'pus = a' '[node two]' 'pus = b'
lines "$tmp/real.conf" '[app]' 'kernel = taylor' '[taylor]' 'width = 1000' 'height = 1000' 'order = 1000' \
    "values = $tmp/v.npy" '[cluster]' "file = $tmp/two.cluster" '[balance]' 'profile = on'
ranks 2 --dry-run --pareto "$tmp/real.conf"
[ $? -eq 2 ] && grep -q 'there is no profile of this kernel for PU 0 (a) and others; run it once' "$tmp/out"
ok "without profiles a dry run says that it needs some" $?
ranks 2 --pareto="$tmp/real.json" "$tmp/real.conf" && cp "$tmp/out" "$tmp/ran" &&
    ranks 2 --dry-run --pareto="$tmp/profiles.json" "$tmp/real.conf" && cat "$tmp/ran" >>"$tmp/out" &&
    python3 - "$tmp/real.json" "$tmp/profiles.json" <<'END' >>"$tmp/out" 2>&1
import json, sys
real, loaded = (json.load(open(name)) for name in sys.argv[1:])
rows, run = real["front"], real["run"]
assert real["from"] == "this run's measurements" and loaded["from"] == "profiles"
assert rows[0]["seconds"] <= run["seconds"] * 1.001 and rows[0]["joules"] > rows[-1]["joules"]
assert run["joules"] >= run["least_joules"] * 0.99
assert abs(sum(pu["share"] for pu in run["pus"]) - 1) < 1e-6
assert [pu["id"] for pu in rows[-1]["pus"]] == [0], "the PU with 1 W alone"
assert loaded["run"] is None and loaded["front"][-1]["marks"][-1] == "least energy"
END
ok "a real run has a front by its measurements, and leaves profiles for one" $?

# refused PATTERN ARGUMENT...: status 2, one sentence with the pattern, and nothing else.
refused() {
    alone "${@:2}"
    [ $? -eq 2 ] && [ "$(wc -l <"$tmp/out")" -eq 1 ] && grep -qF -- "$1" "$tmp/out"
    ok "refused: $1" $?
}
lines "$tmp/bare.cluster" '[pu a]' 'rate = 1e9' '[node one]' 'pus = a'
refused 'those of PU 0 (a, rank 0) are unknown; a .cluster file can set them (static_watts' \
    --simulate "$tmp/bare.cluster" --pareto "$tmp/app.conf"
refused '--pareto=f.png: a front is written as .json or .svg' --simulate "$tmp/three.cluster" --pareto=f.png \
    "$tmp/app.conf"
refused 'to write the front to a file, use --pareto=f.svg' --pareto f.svg "$tmp/app.conf"
refused '--report and --pareto both name' --simulate "$tmp/three.cluster" --report "$tmp/same.json" \
    --pareto="$tmp/same.json" "$tmp/app.conf"
done_testing
