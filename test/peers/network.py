"""Networks by brute force in NumPy, as plbrun's grn infers them.

network.py golden            writes the golden table of test/system/test_grn.sh
network.py cases             prints CASES: name, genes of a set, levels, method, yes for a time series
network.py make FOLDER       writes table.csv (test/peers/run)
network.py check FOLDER      compares networks of table.csv in FOLDER with NumPy's: NAME.tsv for each of CASES
network.py golden-check GOLDEN NAME FILE      compares a network with one of the golden table; without NumPy
"""
import itertools
import sys

# name: genes of a set, levels, method, time series
CASES = {
    "one": (1, 2, "mean", False), "two": (2, 2, "median", False), "three": (3, 2, "quantile", False),
    "one3": (1, 3, "quantile", True), "two3": (2, 3, "mean", False), "three3": (3, 3, "median", True),
}
TOP = 3


def levels_of(x, levels, method):
    import numpy as np
    if method == "quantile":
        bounds = np.sort(x)[[len(x) * k // levels for k in range(1, levels)]]
        return (x[:, None] >= bounds).sum(1)
    middle = x.mean() if method == "mean" else np.median(x)
    width = x.std() / 2 if method == "mean" else np.median(np.abs(x - middle))
    return (x > middle) * 1 if levels == 2 else 1 + (x > middle + width) - (x < middle - width)


def entropy(counts):
    import numpy as np
    p = counts[counts > 0] / counts.sum()
    return float(-(p * np.log2(p)).sum())


def score(x, y, levels, alpha=1.0):
    """The mean conditional entropy of y; x has a row for each predictor."""
    import numpy as np
    of = np.zeros((levels ** len(x), levels))
    pattern = sum(row * levels ** i for i, row in enumerate(x))
    np.add.at(of, (pattern, y), 1)
    seen = of.sum(1)
    sum_ = sum((f + alpha) * entropy(row) for f, row in zip(seen, of) if f > 0)
    sum_ += alpha * (seen == 0).sum() * entropy(of.sum(0))
    return sum_ / (alpha * len(of) + len(y))


def network(values, case, top=TOP, targets=None):
    """For each target its best sets and their scores; equal scores by indices."""
    import numpy as np
    size, levels, method, series = case
    level = np.array([levels_of(row, levels, method) for row in values])
    x, y = (level[:, :-1], level[:, 1:]) if series else (level, level)
    rows = []
    for t in targets or range(len(values)):
        sets = itertools.combinations([g for g in range(len(values)) if g != t], size)
        best = sorted((round(score(x[list(s)], y[t], levels), 12), s) for s in sets)[:top]
        rows += [(t, s, value) for value, s in best]
    return rows


def table(genes, samples, seed):
    """Random genes; the last one is above its mean where one of the first two is, but not where both are."""
    import numpy as np
    values = np.random.default_rng(seed).random((genes, samples)).round(3)
    above = values[:2] > values[:2].mean(1)[:, None]
    values[-1] = ((above[0] ^ above[1]) + 0.2 * values[-1]).round(3)
    return values


def cases():
    for name, (size, levels, method, series) in CASES.items():
        print(name, size, levels, method, "yes" if series else "no")


def golden():
    import numpy as np
    values = table(8, 25, 3)
    print(f"# NumPy {np.__version__}: a table of genes by samples; then networks: name, target, set, score")
    for g, row in enumerate(values):
        print("gene", f"g{g}", *row)
    for name, case in CASES.items():
        for t, s, value in network(values, case):
            print("best", name, f"g{t}", *(f"g{g}" for g in s), value)


def read(path):
    """Rows of a network: target, set, score."""
    rows = [line.rstrip("\n").split("\t") for line in open(path)]
    assert rows[0] == ["target"] + [f"predictor{i + 1}" for i in range(len(rows[0]) - 2)] + ["score"], rows[0]
    return [(row[0], tuple(row[1:-1]), float(row[-1])) for row in rows[1:]]


def differ(rows, expected):
    """How many rows differ, and by how much scores do."""
    far = max([abs(a[2] - b[2]) for a, b in zip(rows, expected)] or [1.0])
    return abs(len(rows) - len(expected)) + sum(a[:2] != b[:2] for a, b in zip(rows, expected)), far


def golden_check(path, name, file):
    rows = [line.split()[2:] for line in open(path) if line.startswith(f"best {name} ")]
    expected = [(row[0], tuple(row[1:-1]), float(row[-1])) for row in rows]
    other, far = differ(read(file), expected)
    print(f"{len(expected)} rows, {other} differ, scores at most {far:.1e} apart")
    return int(other > 0 or far > 1e-12 or not expected)


def make(folder):
    values = table(24, 70, 1)
    with open(f"{folder}/table.csv", "w") as f:
        f.write(",".join(["gene"] + [f"s{i}" for i in range(values.shape[1])]) + "\n")
        for g, row in enumerate(values):
            f.write(",".join([f"g{g}"] + [repr(float(x)) for x in row]) + "\n")


def check(folder):
    import numpy as np
    values, bad = table(24, 70, 1), 0
    for name, case in CASES.items():
        expected = [(f"g{t}", tuple(f"g{g}" for g in s), value) for t, s, value in network(values, case)]
        other, far = differ(read(f"{folder}/{name}.tsv"), expected)
        bad += other > 0 or far > 1e-12
        print(f"{'not ok' if other > 0 or far > 1e-12 else 'ok'} - grn, sets of {case[0]}, {case[1]} levels by "
              f"{case[2]}{', series' if case[3] else ''}, against NumPy {np.__version__}: {other} of "
              f"{len(expected)} sets differ, scores at most {far:.1e} apart")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit({"golden": golden, "cases": cases, "make": make, "check": check, "golden-check": golden_check}[sys.argv[1]](
        *sys.argv[2:]))
