"""Python functions on processes of this host or of others: `map`, and an Executor of concurrent.futures."""

import concurrent.futures
import threading

from plbrun import _run
from plbrun._run import Lost

__all__ = ["Executor", "Lost", "map"]

FILES = ("--joblog", "--report", "--trace")  # options that name a file of a run
TRIES = 2  # of a line by default


def check(ranks, options):
    if ranks is not None and ranks < 1:
        raise ValueError(f"ranks={ranks}: expected 1 or more; without it there is one for each core")
    if isinstance(options, str):
        raise ValueError(f"options={options!r} is text; write a list: options={options.split()!r}")


def alone(options):
    """The options of a run of single items that another run has lost. Its files are not written again."""
    kept, tries, words = ["balance.grain=1"], TRIES, iter(options)
    for word in words:
        name, equals, value = word.partition("=")
        if name not in ("--retries", *FILES):
            kept.append(word)
            continue
        value = value if equals else next(words, "")
        tries = int(value) if name == "--retries" and value.isdecimal() else tries
    return [*kept, "--retries", str(max(1, tries - 1))]  # one was with the others of their line


def outcomes_of(items, ranks, hosts, options, chunk=None):
    """Starts a run. Returns an iterator of (number, done, value) of all items, as they come."""
    if not items:
        return iter(())
    return outcomes(_run.Run(items, ranks, hosts, options, chunk), items, (ranks, hosts, options))


def outcomes(run, items, how):
    lost = []
    try:
        for number, done, value in run.outcomes():
            if done is None and run.chunk > 1:
                lost.append(number)  # perhaps for the sake of another item of its line
            elif done is None:
                yield number, None, Lost(f"item {number} has no result: {value}")
            else:
                yield number, done, value
    finally:
        run.close()
    ranks, hosts, options = how
    for number, done, value in outcomes_of([items[k] for k in lost], ranks, hosts, alone(options), 1):
        reason = Lost(f"item {lost[number]}{str(value)[len(f'item {number}'):]}") if done is None else value
        yield lost[number], done, reason


def value_of(done, value):
    if done:
        return value
    raise value if done is None else _run.raised(value)


def map(function, items, *, ranks=None, hosts=None, ordered=True, chunk=None, options=()):
    """Calls a function with each item, on several processes, and returns an iterator of the results.

    ranks: processes at a time on each host, by default one per core of it. hosts: names of hosts on which mpirun
    starts plbrun; by default this one, without MPI. ordered: results in the order of the items; False: as they
    come. chunk: items of a line; by default some hundred lines for each process. options: more words for
    plbrun, such as "--timeout", "60". An exception of the function is raised when its result is asked for, with
    its traceback as the cause; Lost where a process ended.
    """
    check(ranks, options)
    items = [(function, (item,), {}) for item in items]
    outcomes = outcomes_of(items, ranks, hosts, options, chunk)
    return in_order(outcomes) if ordered else as_they_come(outcomes)


def as_they_come(outcomes):
    for _, done, value in outcomes:
        yield value_of(done, value)


def in_order(outcomes):
    waiting, wanted = {}, 0
    for number, done, value in outcomes:
        waiting[number] = done, value
        while wanted in waiting:
            yield value_of(*waiting.pop(wanted))
            wanted += 1


class Executor(concurrent.futures.Executor):
    """As concurrent.futures.ProcessPoolExecutor, on runs of plbrun.

    Calls that are submitted within GATHER seconds of each other are one run, whose items plbrun divides. A later
    run begins when a process is free: on one host as many processes work as there are ranks, whatever run they
    are of. With hosts one run follows the other.
    """

    GATHER = 0.01  # seconds

    def __init__(self, ranks=None, *, hosts=None, options=()):
        check(ranks, options)
        self.ranks, self.hosts, self.options = ranks, hosts, tuple(options)
        self.room = 1 if hosts else ranks or _run.cores()  # runs on hosts, or processes, at a time
        self.changed = threading.Condition()
        self.waiting, self.used, self.closed = [], 0, False
        self.runs = set()
        self.starter = None

    def submit(self, function, /, *arguments, **keywords):
        future = concurrent.futures.Future()
        with self.changed:
            if self.closed:
                raise RuntimeError("cannot schedule new futures after shutdown")
            self.waiting.append((future, (function, arguments, keywords)))
            if self.starter is None:
                self.starter = threading.Thread(target=self.start_runs, daemon=True)
                self.starter.start()
            self.changed.notify_all()
        return future

    def start_runs(self):
        while True:
            with self.changed:
                seen = -1
                while len(self.waiting) != seen or self.free() == 0:  # until no more come
                    if not self.waiting and self.closed:
                        return
                    seen = len(self.waiting)
                    self.changed.wait(self.GATHER if self.waiting and self.free() else None)
                    seen = seen if self.waiting else -1
                taken = [(f, item) for f, item in self.waiting if f.set_running_or_notify_cancel()]
                self.waiting = []
                used = min(self.free(), len(taken))
                self.used += used
            if taken:
                run = threading.Thread(target=self.run, args=(taken, used), daemon=True)
                self.runs.add(run)
                run.start()

    def free(self):
        return self.room - self.used

    def run(self, taken, busy):
        futures = [future for future, _ in taken]
        left, ranks = len(taken), self.ranks if self.hosts else busy
        try:
            items = [item for _, item in taken]
            for number, done, value in outcomes_of(items, ranks, self.hosts, self.options):
                if done:
                    futures[number].set_result(value)
                else:
                    futures[number].set_exception(value if done is None else _run.raised(value))
                left -= 1
                if left < busy and not self.hosts:  # one process of it has no more to do
                    self.release(busy - left)
                    busy = left
        except BaseException as error:
            for future in futures:
                if not future.done():
                    future.set_exception(error)
        self.release(busy)
        self.runs.discard(threading.current_thread())

    def release(self, n):
        with self.changed:
            self.used -= n
            self.changed.notify_all()

    def shutdown(self, wait=True, *, cancel_futures=False):
        with self.changed:
            self.closed = True
            if cancel_futures:
                for future, _ in self.waiting:
                    future.cancel()
            self.changed.notify_all()
        if wait:
            if self.starter is not None:
                self.starter.join()
            for run in list(self.runs):
                run.join()
