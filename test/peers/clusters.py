"""Clusters by scikit-learn's KMeans from given centroids, as plbrun's kmeans finds them.

clusters.py golden            writes the golden table of test/system/test_kmeans.sh
clusters.py make FOLDER       writes points.npy and start.npy (test/peers/run)
clusters.py check FOLDER      compares labels.npy, centroids.npy and history.npy in FOLDER with scikit-learn's
"""
import random
import sys

import numpy as np
import sklearn
from sklearn.cluster import KMeans


def fit(points, start, tolerance=1e-4):
    return KMeans(len(start), init=start, n_init=1, tol=tolerance, max_iter=300, algorithm="lloyd").fit(points)


def golden():
    """80 points around 4 centres: from 4 of them, and from a start of which one centroid is far away."""
    draw = random.Random(3)
    centres = [[draw.uniform(0, 6) for _ in range(3)] for _ in range(4)]
    points = [[round(c + draw.gauss(0, 1.2), 3) for c in centres[i % 4]] for i in range(80)]
    starts = {"near": points[:4], "far": points[:3] + [[90.0, -90.0, 90.0]]}
    print(f"# scikit-learn {sklearn.__version__}: points and their clusters from two starts, whose centroids,")
    print("# results, inertia and moves follow")
    fits = {name: fit(np.array(points), np.array(start)) for name, start in starts.items()}
    for i, p in enumerate(points):
        print("point", *p, *(f.labels_[i] for f in fits.values()))
    for name, f in fits.items():
        for c in starts[name]:
            print("start", name, *c)
        for c in f.cluster_centers_:
            print("end", name, *map(repr, map(float, c)))
        print("inertia", name, repr(float(f.inertia_)), f.n_iter_)


def make(folder):
    rng = np.random.default_rng(1)
    centres = rng.random((20, 10)) * 8
    points = centres[rng.integers(0, 20, 20000)] + rng.standard_normal((20000, 10))
    np.save(f"{folder}/points.npy", points)
    np.save(f"{folder}/start.npy", points[:20])


def check(folder):
    points, start = np.load(f"{folder}/points.npy"), np.load(f"{folder}/start.npy")
    expected = fit(points, start)
    labels, centroids = np.load(f"{folder}/labels.npy").ravel(), np.load(f"{folder}/centroids.npy")
    inertia = np.load(f"{folder}/history.npy")[-1, 0]
    moves = len(np.load(f"{folder}/history.npy"))
    other = int((labels != expected.labels_).sum())
    far = np.abs(centroids - expected.cluster_centers_).max()
    off = abs(inertia / expected.inertia_ - 1)
    good = other == 0 and far < 1e-10 and off < 1e-12 and moves in (expected.n_iter_, expected.n_iter_ + 1)
    print(f"{'ok' if good else 'not ok'} - kmeans against scikit-learn {sklearn.__version__}: {other} labels "
          f"differ, centroids at most {far:.1e} apart, inertia {off:.1e}; {expected.n_iter_} moves")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit({"golden": lambda _: golden(), "make": make, "check": check}[sys.argv[1]](sys.argv[-1]))
