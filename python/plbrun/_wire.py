"""Objects as lines, for both ends of a server: this text is a part of the server's program.

A line is a pickle without NUL bytes, since NUL ends it. Large buffers, such as those of NumPy's arrays, stay
out of it where both ends see one folder in memory: they are written to a file there, and mapped by who reads
them.
"""

import mmap
import os
import pickle

LARGE = 1 << 16  # bytes of a buffer that goes to a file; of smaller ones a copy costs less


def escape(data):
    return data.replace(b"\x1b", b"\x1b0").replace(b"\0", b"\x1b1")


def unescape(line):
    return line.replace(b"\x1b1", b"\0").replace(b"\x1b0", b"\x1b") if b"\x1b" in line else line


class Store:
    """A file of this process in the folder that both ends see, and the mapped files of others."""

    def __init__(self, folder):
        self.folder = folder
        self.file = None
        self.end = 0
        self.maps = {}

    def put(self, buffer):
        if self.file is None:
            self.name = f"{os.getpid()}-{os.urandom(4).hex()}"
            self.file = open(os.path.join(self.folder, self.name), "xb", buffering=0)
        raw = buffer.raw()
        begin, at = self.file.seek(self.end), 0
        while at < raw.nbytes:
            at += self.file.write(raw[at:])
        self.end += -(-raw.nbytes // 64) * 64
        return self.name, begin, raw.nbytes

    def get(self, name, begin, size):
        mapped = self.maps.get(name)
        if mapped is None or len(mapped) < begin + size:
            with open(os.path.join(self.folder, name), "rb") as file:
                mapped = self.maps[name] = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        return memoryview(mapped)[begin : begin + size]


def encode(thing, store, dumps=pickle.dumps):
    """The bytes of a line, without its end. store None: buffers are parts of it."""
    if store is None:
        return escape(dumps(thing, protocol=pickle.HIGHEST_PROTOCOL))
    places = []

    def keep(buffer):
        try:
            if buffer.raw().nbytes < LARGE:
                return True
            places.append(store.put(buffer))
        except (BufferError, OSError):  # it is in pieces; or the folder is full
            return True
        return False

    data = dumps(thing, protocol=5, buffer_callback=keep)
    return escape(b"B" + pickle.dumps((places, data)) if places else b"A" + data)


def decode(line, store):
    data = unescape(line)
    if store is None:
        return pickle.loads(data)
    if data[:1] == b"A":
        return pickle.loads(memoryview(data)[1:])
    places, data = pickle.loads(memoryview(data)[1:])
    return pickle.loads(data, buffers=[store.get(*place) for place in places])
