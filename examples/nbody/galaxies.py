"""Writes galaxies.npy beside this file: two discs of light bodies around heavy ones, which are about to meet.

Toomre and Toomre drew such tails in 1972 (Galactic bridges and tails, ApJ 178)."""
import math
import os
import random
import struct

BODIES = 4000
draw = random.Random(1972)


def galaxy(n, mass, at, speed, tilt):
    """A heavy body and n light ones on circles around it, in a plane turned about the y axis."""
    rows = [[mass, *at, *speed]]
    for _ in range(n):
        r, angle = math.sqrt(draw.uniform(0.04, 1)), draw.uniform(0, 2 * math.pi)
        v = math.sqrt(mass / r)
        x, y, vx, vy = r * math.cos(angle), r * math.sin(angle), -v * math.sin(angle), v * math.cos(angle)
        c, s = math.cos(tilt), math.sin(tilt)
        rows.append([1e-7, at[0] + c * x, at[1] + y, at[2] - s * x,
                     speed[0] + c * vx, speed[1] + vy, speed[2] - s * vx])
    return rows


# The heavy ones come as near as 1.1, on a parabola, in the plane and the sense in which the first disc turns.
heavy, light, nearest, angle = 1.0, 0.7, 1.1, -2.2
both = heavy + light
r = 2 * nearest / (1 + math.cos(angle))
turn = math.sqrt(2 * both * nearest)
at = [r * math.cos(angle), r * math.sin(angle), 0.0]
speed = [-both / turn * math.sin(angle), both / turn * (1 + math.cos(angle)), 0.0]
rows = galaxy(BODIES // 2 - 1, heavy, [-light / both * x for x in at], [-light / both * v for v in speed], 0.2)
rows += galaxy(BODIES // 2 - 1, light, [heavy / both * x for x in at], [heavy / both * v for v in speed], -0.9)

head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({BODIES}, 7), }}"
head += ' ' * (117 - len(head)) + '\n'
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'galaxies.npy'), 'wb') as f:
    f.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode())
    for row in rows:
        f.write(struct.pack('<7d', *row))
