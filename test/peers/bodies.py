"""Bodies by REBOUND's leapfrog method, as plbrun's nbody moves them.

bodies.py golden            writes the golden table of test/system/test_nbody.sh
bodies.py make FOLDER       writes bodies.npy (test/peers/run)
bodies.py check FOLDER      compares end.npy and energies.npy in FOLDER with REBOUND's

REBOUND moves, kicks and moves for half a step each time, and nbody kicks, moves and kicks. Between half a step at
the begin and one at the end both do the same.
"""
import random
import sys

import numpy as np
import rebound

DT = 0.01


def simulation(rows, softening):
    sim = rebound.Simulation()
    sim.integrator, sim.dt, sim.softening = "leapfrog", DT, softening
    for m, x, y, z, vx, vy, vz in rows:
        sim.add(m=m, x=x, y=y, z=z, vx=vx, vy=vy, vz=vz)
    return sim


def kicked(rows, softening):
    """Half a kick, with the forces that REBOUND computes for bodies at rest."""
    still = simulation(np.hstack([rows[:, :4], 0 * rows[:, 4:]]), softening)
    still.dt = 1e-200
    still.steps(1)
    forces = np.array([[p.ax, p.ay, p.az] for p in still.particles])
    return np.hstack([rows[:, :4], rows[:, 4:] + 0.5 * DT * forces])


def moved(rows):
    return np.hstack([rows[:, :1], rows[:, 1:4] + 0.5 * DT * rows[:, 4:], rows[:, 4:]])


def leapfrog(rows, softening, steps):
    sim = simulation(moved(kicked(np.array(rows), softening)), softening)
    sim.steps(steps - 1)
    now = np.array([[p.m, p.x, p.y, p.z, p.vx, p.vy, p.vz] for p in sim.particles])
    return kicked(moved(now), softening)


def golden():
    draw = random.Random(4)
    rows = [[round(draw.uniform(*r), 3) for r in [(0.1, 1)] + 3 * [(-2, 2)] + 3 * [(-0.4, 0.4)]]
            for _ in range(12)]
    print(f"# REBOUND {rebound.__version__}: bodies, and where they are after 50 steps of {DT}, without softening")
    print("# and with 0.3; and the energies without it")
    for row in rows:
        print("start", *row)
    for softening in (0, 0.3):
        for row in leapfrog(rows, softening, 50):
            print("end", softening, *map(repr, map(float, row)))
    for name, end in ("start", np.array(rows)), ("end", leapfrog(rows, 0, 50)):
        print("energy", name, repr(float(simulation(end, 0).energy())))


def make(folder):
    rng = np.random.default_rng(1)
    np.save(f"{folder}/bodies.npy", np.hstack([rng.random((500, 1)) / 500, rng.standard_normal((500, 6))]))


def check(folder):
    rows = np.load(f"{folder}/bodies.npy")
    expected, end = leapfrog(rows, 0.05, 100), np.load(f"{folder}/end.npy")
    energy = np.load(f"{folder}/energies.npy")[-1, 1]
    kinetic = 0.5 * (expected[:, 0] * (expected[:, 4:] ** 2).sum(axis=1)).sum()
    far, off = np.abs(end - expected).max(), abs(energy / kinetic - 1)
    good = far < 1e-10 and off < 1e-12 and len(end) == 500
    print(f"{'ok' if good else 'not ok'} - nbody against REBOUND {rebound.__version__}: after 100 steps positions "
          f"and velocities at most {far:.1e} apart, the kinetic energy {off:.1e}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit({"golden": lambda _: golden(), "make": make, "check": check}[sys.argv[1]](sys.argv[-1]))
