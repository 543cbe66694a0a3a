"""What a user would pick instead of the kernels in kernels/: lines "NAME RATE", the best of several tries. What
is not installed is left out. As in clock.h, time is CPU time where OMP_NUM_THREADS is 1."""
import os
import time

import numpy as np


now = time.process_time if os.environ.get("OMP_NUM_THREADS") == "1" else time.perf_counter


def best(function, tries=5):
    """The least seconds of a call."""
    times = []
    for _ in range(tries):
        begin = now()
        function()
        times.append(now() - begin)
    return min(times)


def say(name, rate):
    print(name.replace(" ", "_"), f"{rate:.4g}", flush=True)


def contracts(n):
    u = np.random.default_rng(1).random((7, n))
    spot = 50 + 100 * u[0]
    return (spot, spot * (0.7 + 0.6 * u[1]), 0.08 * u[2], 0.04 * u[3], 0.1 + 0.5 * u[4], 0.1 + 2.9 * u[5],
            np.where(u[6] < 0.5, 1.0, -1.0))


def black_scholes(c):
    from scipy.special import ndtr
    spot, strike, rate, dividend, sigma, time_, sign = c
    root = np.sqrt(time_)
    spread = sigma * root
    d1 = (np.log(spot / strike) + (rate - dividend + 0.5 * sigma**2) * time_) / spread
    carry, discount = np.exp(-dividend * time_), np.exp(-rate * time_)
    n1, n2 = ndtr(sign * d1), ndtr(sign * (d1 - spread))
    density = np.exp(-0.5 * d1**2) * 0.3989422804014327
    worth, paid = spot * carry, strike * discount
    return (sign * (worth * n1 - paid * n2), sign * carry * n1, carry * density / (spot * spread),
            worth * density * root, sign * (dividend * worth * n1 - rate * paid * n2)
            - worth * density * sigma / (2 * root), sign * paid * time_ * n2)


def paths(n):
    z = np.random.Generator(np.random.Philox(1)).standard_normal(n)
    payoff = np.maximum(100 * np.exp(0.03 + 0.2 * z) - 100, 0)
    return payoff.mean(), payoff.std()


def tree(steps):
    """An American put by NumPy, a row of nodes at a time."""
    up = np.exp(0.2 * np.sqrt(1 / steps))
    p = (np.exp(0.05 / steps) - 1 / up) / (up - 1 / up)
    rise, fall = p * np.exp(-0.05 / steps), (1 - p) * np.exp(-0.05 / steps)
    price = 100 * up ** np.arange(-steps, steps + 1, 2.0)
    v = np.maximum(100 - price, 0)
    for t in range(steps - 1, -1, -1):
        v = np.maximum(rise * v[1:] + fall * v[:-1], 100 - price[:t + 1] * up ** (steps - t))
    return v[0]


def set_of(depth=1000, width=640, height=480):
    c = -2.75 + (np.arange(width)[None, :] + 0.5) / 160 + 1j * (1.5 - (np.arange(height)[:, None] + 0.5) / 160)
    z, left, steps = c.ravel() * 0, c.ravel(), 0
    for _ in range(depth):
        z = z * z + left
        inside = z.real**2 + z.imag**2 <= 4
        z, left = z[inside], left[inside]
        steps += len(z)
    return steps


def quantlib():
    import QuantLib as ql
    today = ql.Date(1, 1, 2001)
    ql.Settings.instance().evaluationDate = today
    count = ql.Actual365Fixed()
    flat = lambda r: ql.YieldTermStructureHandle(ql.FlatForward(today, r, count))
    vol = ql.BlackVolTermStructureHandle(ql.BlackConstantVol(today, ql.NullCalendar(), 0.2, count))
    process = ql.BlackScholesMertonProcess(ql.QuoteHandle(ql.SimpleQuote(100)), flat(0.02), flat(0.05), vol)
    payoff = ql.PlainVanillaPayoff(ql.Option.Put, 100)
    american = ql.VanillaOption(payoff, ql.AmericanExercise(today, today + 365))
    european = ql.VanillaOption(payoff, ql.EuropeanExercise(today + 365))
    european.setPricingEngine(ql.AnalyticEuropeanEngine(process))

    def greeks():
        for _ in range(1000):
            european.recalculate()
            european.NPV(), european.delta(), european.gamma(), european.vega(), european.theta(), european.rho()
    say("closed QuantLib", 1000 / best(greeks))
    american.setPricingEngine(ql.BinomialVanillaEngine(process, "crr", 1001))
    say("binomial QuantLib", 1001 * 1002 / 2 / best(lambda: (american.recalculate(), american.NPV())))


def clusters():
    from sklearn.cluster import KMeans
    points = np.random.default_rng(1).random((100000, 16))
    model = KMeans(64, init=points[:64], n_init=1, max_iter=1).fit(points)
    say("kmeans scikit-learn", len(points) / best(lambda: model.predict(points)))


def blur():
    from scipy.ndimage import gaussian_filter
    image = np.random.default_rng(1).random((1000, 1000))
    say("gaussian SciPy", image.size / best(lambda: gaussian_filter(image, 10)))


def product():
    a, b = (np.asfortranarray(np.random.default_rng(seed).random((1000, 1000))) for seed in (1, 2))
    c = np.empty_like(a)
    say("matmul OpenBLAS", 1000 / best(lambda: np.matmul(a, b, out=c)))


def sparse(rows):
    """16 entries a row at random places, and 64 columns."""
    from scipy.sparse import csr_array
    random = np.random.default_rng(1)
    a = csr_array((random.random(16 * rows), random.integers(0, rows, 16 * rows).astype(np.int32),
                   np.arange(0, 16 * rows + 1, 16, dtype=np.int32)), shape=(rows, rows))
    a.sum_duplicates()
    return a, random.random((rows, 64))


def sparse_scipy(name, rows):
    a, b = sparse(rows)
    say(name + " SciPy", rows / best(lambda: a @ b))


def sparse_graphblas(name, rows):
    import graphblas
    graphblas.ss.config["nthreads"] = int(os.environ.get("OMP_NUM_THREADS", "1"))
    a, b = sparse(rows)
    one, other = graphblas.io.from_scipy_sparse(a), graphblas.Matrix.from_dense(b)
    c = graphblas.Matrix(float, rows, 64)

    def multiply():
        c << one.mxm(other, graphblas.semiring.plus_times)
        c.wait()
    multiply()
    say(name + " GraphBLAS", rows / best(multiply))


def formulas():
    c = contracts(100000)
    say("closed NumPy+SciPy", 100000 / best(lambda: black_scholes(c)))


def plain_numpy():
    say("montecarlo NumPy", 1000000 / best(lambda: paths(1000000)))
    say("binomial NumPy", 1001 * 1002 / 2 / best(lambda: tree(1001)))
    begin = now()
    say("mandelbrot NumPy", set_of() / (now() - begin))
    z = (np.random.default_rng(1).random(100000) - 0.5) * (1 + 1j)
    coefficients = [0] + [-(-1) ** k / k for k in range(1, 41)]
    say("taylor NumPy", 100000 / best(lambda: np.polynomial.polynomial.polyval(z, coefficients)))


def pairs(x, m):
    """The accelerations of all bodies by NumPy, a few hundred at a time."""
    a = np.empty_like(x)
    for i in range(0, len(x), 250):
        d = x[None, :, :] - x[i:i + 250, None, :]
        square = (d * d).sum(axis=2) + x.dtype.type(1e-4)
        a[i:i + 250] = np.einsum("ij,ijk->ik", m / (square * np.sqrt(square)), d)
    return a


def rebound_step():
    import rebound
    x = np.random.default_rng(1).standard_normal((1000, 3))
    sim = rebound.Simulation()
    sim.integrator, sim.dt, sim.softening = "leapfrog", 1e-6, 0.01
    for p in x:
        sim.add(m=1e-3, x=p[0], y=p[1], z=p[2])
    say("nbody REBOUND", 1e6 / best(lambda: sim.steps(1)))


def pairs_numpy():
    x = np.random.default_rng(1).standard_normal((2000, 3))
    for name, kind in ("nbody NumPy", np.float64), ("nbody32 NumPy", np.float32):
        say(name, 4e6 / best(lambda: pairs(x.astype(kind), np.full(2000, 5e-4, kind))))


def network(genes=400, samples=512):
    """Sets of two genes for a target, by bits: for each first gene all second ones at once."""
    bits = np.random.default_rng(1).random((genes, samples)) > 0.5
    words = np.packbits(bits, axis=1).view(np.uint64)
    n_log_n = np.arange(samples + 1) * np.log2(np.maximum(np.arange(samples + 1), 1))

    def count(x):
        return np.bitwise_count(x).sum(-1, dtype=np.int64)

    def term(seen, with_y):
        entropy = n_log_n[seen] - n_log_n[with_y] - n_log_n[seen - with_y]
        return entropy + entropy / np.maximum(seen, 1)

    def search(y):
        one, one_y, all_y = count(words), count(words & y), count(y)
        scores = []
        for a in range(genes - 1):
            c = slice(a + 1, None)
            both, both_y = count(words[a] & words[c]), count(words[a] & y & words[c])
            score = (term(both, both_y) + term(one[a] - both, one_y[a] - both_y) + term(one[c] - both, one_y[c] - both_y)
                     + term(samples - one[a] - one[c] + both, all_y - one_y[a] - one_y[c] + both_y))
            scores.append(score.min())
        return min(scores)
    if hasattr(np, "bitwise_count"):
        say("grn NumPy", genes * (genes - 1) / 2 / best(lambda: search(words[0])))


PEERS = (plain_numpy, formulas, product, quantlib, clusters, blur, network, pairs_numpy, rebound_step,
         lambda: sparse_scipy("spmm", 10000), lambda: sparse_scipy("spmm-large", 200000), lambda: sparse_graphblas("spmm", 10000),
         lambda: sparse_graphblas("spmm-large", 200000))
for peer in PEERS:
    try:
        peer()
    except ImportError:
        pass
