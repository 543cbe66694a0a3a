"""Pi by throwing points at a square: the part of them in the circle is pi / 4."""
import numpy as np

unit = "blocks"
options = {
    "blocks": (int, 2000, "how many blocks of points", 1, 1e9),
    "points": (int, 100000, "points of a block", 1, 1e8),
    "out": ("output file", None, "where the counts of the blocks go, .npy"),
}
writes_all = True


def setup(job):
    job.units = job.options["blocks"]
    job.output("hits", np.int64, save=job.options["out"])
    job.reduce("total", np.int64, op="sum")


def entry(task, hits, total):
    points = task.options["points"]
    for i in range(task.count):
        x, y = np.random.default_rng(task.first + i).random((2, points))  # a block has points of its own
        hits[i] = np.count_nonzero(x * x + y * y < 1.0)
    total += hits.sum()


def verify(job):
    pi, points = 4.0 * job["total"] / job.units / job.options["points"], job.units * job.options["points"]
    assert abs(pi - np.pi) < 8.0 / points**0.5, f"{pi} is not pi"


def finish(job):
    print(f"pi is about {4.0 * job['total'] / job.units / job.options['points']:.5f}")
