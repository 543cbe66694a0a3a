"""make bench-map: plbrun.map beside other ways to call a Python function on two processes.

map.py [PROCESSES [RUNS]]: the best of RUNS, in seconds, each from a fresh start to the last result, in turns.
Items spin, so that they need a core. Ways that are not installed are left out. mpi4py is started by mpirun.
"""

import concurrent.futures
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time

JOBS = {"20 ms": (0.02, 200), "1 ms": (0.001, 4000), "50 us": (0.00005, 20000)}

FUNCTION = """
import time
def spin(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass
    return seconds
"""


def with_plbrun(spin, items, processes):
    import plbrun

    return list(plbrun.map(spin, items, ranks=processes))


def with_executor(spin, items, processes):
    import plbrun

    with plbrun.Executor(processes) as executor:
        return list(executor.map(spin, items))


def with_pool(spin, items, processes):
    with multiprocessing.Pool(processes) as pool:
        return pool.map(spin, items)


def with_futures(spin, items, processes):
    with concurrent.futures.ProcessPoolExecutor(processes) as executor:
        return list(executor.map(spin, items, chunksize=max(1, len(items) // (16 * processes))))


def with_joblib(spin, items, processes):
    import joblib

    try:
        return joblib.Parallel(n_jobs=processes)(joblib.delayed(spin)(x) for x in items)
    finally:
        joblib.externals.loky.get_reusable_executor().shutdown()


def with_dask(spin, items, processes):
    import distributed

    cluster = distributed.LocalCluster(
        n_workers=processes, threads_per_worker=1, processes=True, dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client:
        return client.gather(client.map(spin, items, pure=False, batch_size=1000))


MPI4PY = """
import sys
from mpi4py.futures import MPIPoolExecutor
from functions import spin
if __name__ == "__main__":
    seconds, n = float(sys.argv[1]), int(sys.argv[2])
    with MPIPoolExecutor() as executor:
        assert len(list(executor.map(spin, [seconds] * n, chunksize=max(1, n // 256)))) == n
"""


def with_mpi4py(spin, items, processes):
    import mpi4py  # noqa: F401

    with open("mpi.py", "w", encoding="utf-8") as file:
        file.write(MPI4PY)
    subprocess.run(
        ["mpirun", "--oversubscribe", "--bind-to", "none", "-np", str(processes + 1), sys.executable, "-m",
         "mpi4py.futures", "mpi.py", str(items[0]), str(len(items))], check=True, stderr=subprocess.DEVNULL)
    return items


WAYS = {"plbrun.map": with_plbrun, "plbrun.Executor": with_executor, "Pool": with_pool,
        "ProcessPoolExecutor": with_futures, "joblib": with_joblib, "mpi4py.futures": with_mpi4py,
        "Dask": with_dask}


def main():
    processes = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("functions.py", "w", encoding="utf-8") as file:
            file.write(FUNCTION)
        sys.path.insert(0, folder)
        os.environ["PYTHONPATH"] = folder + os.pathsep + os.environ.get("PYTHONPATH", "")
        from functions import spin

        for name, (seconds, n) in JOBS.items():
            best = {}
            for run in range(runs):
                for way, call in WAYS.items():
                    if run > 0 and best.get(way, 0) > 3 * seconds * n / processes:
                        continue  # it is not the best, and takes long
                    begin = time.perf_counter()
                    try:
                        assert len(call(spin, [seconds] * n, processes)) == n
                    except ImportError:
                        continue
                    except Exception as error:
                        print(f"# {way}: {error!r}", file=sys.stderr)
                        continue
                    best[way] = min(best.get(way, 1e9), time.perf_counter() - begin)
            others = min(best[way] for way in best if not way.startswith("plbrun"))
            print(f"{n} items of {name}, ideal {seconds * n / processes:.2f} s: "
                  + ", ".join(f"{way} {best[way]:.2f}" for way in best)
                  + f"; map {best['plbrun.map'] / others:.2f} of the best other", flush=True)
        os.chdir("/")


if __name__ == "__main__":
    main()
