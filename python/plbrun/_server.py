"""The program of a server, behind the text of _wire.py: calls functions with the items of lines.

A line is (number, [(function, arguments, keywords), ...]) and its answer (number, [(done, value), ...]). Lines
come in batches, each behind their number (`--serve-batch`).
"""

import os
import pickle
import sys
import time
import traceback

PATIENCE = 0.01  # seconds that an answer waits for others of its batch at most


def call(functions, item):
    function, arguments, keywords = item
    try:
        return True, functions[function](*arguments, **keywords)
    except BaseException as error:  # also SystemExit: it is the function's, not ours
        return False, (error, traceback.format_exc())


def sendable(outcome):
    """The outcome, or why it cannot be sent."""
    try:
        pickle.loads(pickle.dumps(outcome))
        return outcome
    except Exception as error:
        text = repr(outcome[1][0]) if not outcome[0] else type(outcome[1]).__name__
        return False, (RuntimeError(f"{text} cannot be sent back: {error!r}"), traceback.format_exc())


def answer_of(number, outcomes, store):
    if all(done for done, _ in outcomes):
        try:
            return encode((number, outcomes), store)
        except Exception:
            pass
    return encode((number, [sendable(outcome) for outcome in outcomes]), store)


def lines_of(source):
    rest = []
    while data := os.read(source, 1 << 20):
        *lines, last = data.split(b"\0")
        for line in lines:
            yield b"".join([*rest, line]) if rest else line
            rest = []
        if last:
            rest.append(last)


def serve(path, folder, functions):
    sys.path[:] = path
    source, out = os.dup(0), os.fdopen(os.dup(1), "wb", buffering=1 << 16)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # what functions read and print is none of the lines
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)
    if isinstance(functions, str):
        with open(functions, "rb") as file:
            functions = file.read()
    functions = [pickle.loads(function) for function in pickle.loads(functions)]
    store = Store(folder) if folder is not None else None
    left, flushed = 0, time.monotonic()
    for line in lines_of(source):
        if left == 0:
            left = int(line)
            continue
        left -= 1
        number, items = decode(line, store)
        out.write(answer_of(number, [call(functions, item) for item in items], store) + b"\0")
        if left == 0 or time.monotonic() - flushed > PATIENCE:
            out.flush()
            flushed = time.monotonic()
