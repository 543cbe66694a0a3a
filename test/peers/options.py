"""Prices of options by QuantLib, as plbrun's blackscholes and binomial get them.

options.py golden            writes the golden table of test/system/test_options.sh
options.py check FOLDER      compares the results in FOLDER (test/peers/run) with QuantLib's
"""
import csv
import sys

import QuantLib as ql

COLUMNS = ["spot", "strike", "rate", "dividend", "volatility", "time", "type"]
GOLDEN = [  # spot, strike, rate, dividend, volatility, time in years of 365 days, type
    (100, 100, 0.05, 0.02, 0.2, 1, "call"),
    (100, 100, 0.05, 0.02, 0.2, 1, "put"),
    (42, 40, 0.1, 0, 0.2, 182.5 / 365, "put"),
    (36, 40, 0.06, 0, 0.2, 1, "put"),
    (120, 80, -0.01, 0.03, 0.6, 3, "call"),
    (80, 120, 0.03, 0.08, 0.35, 73 / 365, "call"),
    (1e-3, 1.1e-3, 0.02, 0.01, 1.5, 2, "put"),
]


def option(row, american=False):
    """QuantLib's option and process; time is exact where it is a whole number of days."""
    spot, strike, rate, dividend, volatility, time, kind = row
    today = ql.Date(1, 1, 2001)
    ql.Settings.instance().evaluationDate = today
    count, year = ql.Actual365Fixed(), 365 * time
    days = round(year)
    # Time that is no whole number of days is scaled: only rate * time and volatility^2 * time count.
    scale = year / days
    last = today + days

    def flat(value):
        return ql.YieldTermStructureHandle(ql.FlatForward(today, value * scale, count))

    vol = ql.BlackConstantVol(today, ql.NullCalendar(), volatility * scale**0.5, count)
    process = ql.BlackScholesMertonProcess(ql.QuoteHandle(ql.SimpleQuote(spot)), flat(dividend), flat(rate),
                                           ql.BlackVolTermStructureHandle(vol))
    payoff = ql.PlainVanillaPayoff(ql.Option.Call if kind == "call" else ql.Option.Put, strike)
    exercise = ql.AmericanExercise(today, last) if american else ql.EuropeanExercise(last)
    return ql.VanillaOption(payoff, exercise), process, scale


def closed(row):
    o, process, scale = option(row)
    o.setPricingEngine(ql.AnalyticEuropeanEngine(process))
    return [o.NPV(), o.delta(), o.gamma(), o.vega() * scale**0.5, o.theta() / scale, o.rho() * scale]


def tree(row, steps, american):
    o, process, _ = option(row, american)
    o.setPricingEngine(ql.BinomialVanillaEngine(process, "lr", steps))
    return o.NPV()


def rows_of(path):
    with open(path) as f:
        return [tuple(float(r[c]) for c in COLUMNS[:6]) + (r["type"],) for r in csv.DictReader(f)]


def golden():
    print(f"# QuantLib {ql.__version__}: contract; price delta gamma vega theta rho by the formula; price on")
    print("# Leisen and Reimer's tree of 201 steps, European and American")
    for row in GOLDEN:
        values = closed(row) + [tree(row, 201, False), tree(row, 201, True)]
        print(",".join(repr(float(x)) for x in row[:6]) + "," + row[6] + ";" + " ".join(repr(v) for v in values))


def worst(name, pairs, most):
    """Whether the differences are small: relative to the larger number, or to 1e-3 of the first column."""
    error = max(abs(a - b) / max(abs(a), abs(b), size) for a, b, size in pairs)
    print(f"{'ok' if error <= most else 'not ok'} - {name}: at most {error:.1e} apart")
    return error <= most


def check(folder):
    import numpy as np
    rows = rows_of(f"{folder}/contracts.csv")
    good = True
    expected = [closed(r) for r in rows]
    got = np.load(f"{folder}/closed.npy")
    for k, name in enumerate(["price", "delta", "gamma", "vega", "theta", "rho"]):
        sizes = np.array([[r[0], 1, 1 / r[0], r[0], r[0], r[0]] for r in rows])[:, k] * 1e-3
        good &= worst(f"blackscholes {name} against QuantLib {ql.__version__}",
                      [(e[k], g, s) for e, g, s in zip(expected, got[:, k], sizes)], 1e-9)
    paths = np.load(f"{folder}/paths.npy")
    off = max(abs(e[0] - p[0]) / max(p[6], 1e-6 * r[0]) for e, p, r in zip(expected, paths, rows))
    print(f"{'ok' if off < 6 else 'not ok'} - montecarlo is at most {off:.1f} standard errors off")
    good &= off < 6
    for kind in ["european", "american"]:
        try:
            got = np.load(f"{folder}/{kind}.npy").ravel()
        except FileNotFoundError:
            continue
        good &= worst(f"binomial {kind} against QuantLib {ql.__version__}",
                      [(tree(r, 201, kind == "american"), g, 1e-3 * r[0]) for r, g in zip(rows, got)], 1e-9)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(golden() if sys.argv[1] == "golden" else check(sys.argv[2]))
