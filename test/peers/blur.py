"""Gaussian blurs by scipy.ndimage.gaussian_filter, as plbrun's gaussian makes them.

blur.py golden            writes the golden table of test/system/test_gaussian.sh
blur.py make FOLDER       writes image.npy (test/peers/run)
blur.py check FOLDER      compares reflect.npy, mirror.npy, nearest.npy and constant.npy in FOLDER with SciPy's
"""
import sys

import numpy as np
import scipy
from scipy.ndimage import gaussian_filter

MODES = ["reflect", "mirror", "nearest", "constant"]


def golden():
    """A small image and a large sigma, so that the image is reflected more than once."""
    image = np.array([[(7 * r * r + 13 * c + 5 * r * c) % 50 for c in range(6)] for r in range(5)], float)
    print(f"# SciPy {scipy.__version__}: rows of an image, and of its blur by sigma 1.5 and radius 6, by mode")
    for row in image:
        print("image", *row)
    for mode in MODES:
        for row in gaussian_filter(image, 1.5, mode=mode):
            print(mode, *map(repr, map(float, row)))


def make(folder):
    np.save(f"{folder}/image.npy", np.random.default_rng(1).random((211, 307)) * 255)


def check(folder):
    image, bad = np.load(f"{folder}/image.npy"), 0
    for mode in MODES:
        far = np.abs(np.load(f"{folder}/{mode}.npy") - gaussian_filter(image, 10, mode=mode)).max() / 255
        bad += far > 1e-13
        print(f"{'not ok' if far > 1e-13 else 'ok'} - gaussian, {mode}, against SciPy {scipy.__version__}: at most "
              f"{far:.1e} apart, relative to the largest number")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit({"golden": lambda _: golden(), "make": make, "check": check}[sys.argv[1]](sys.argv[-1]))
