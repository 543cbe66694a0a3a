#!/usr/bin/env python3
"""make kernel-resources [BEFORE=COMMIT]: the tables of docs/reference/kernels.md about kernels on an H100.

Compiles kernels/*/*.cu for sm_90. Registers, shared memory and spills are what ptxas says, and occupancy
follows from them. Flops and bytes of a unit are written below by hand, each with its derivation. Speed by
instructions follows from the loop that does the work: its instructions are counted in what cuobjdump
disassembles, and the pipe of a multiprocessor that they keep busy for longest decides. BEFORE: a commit whose
kernels are compared.

It knows nothing of latency, divergence, launches, and of how well caches do. So a GPU is slower than its
bound, and how much is for a GPU to say. NVCC and CUOBJDUMP name the tools; PAGE names the document, and - is
standard output."""
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NVCC, CUOBJDUMP = os.environ.get('NVCC') or 'nvcc', os.environ.get('CUOBJDUMP') or 'cuobjdump'
PAGE = os.environ.get('PAGE') or str(ROOT / 'docs/reference/kernels.md')

# An H100 SXM5: NVIDIA's data sheet gives the rates, and the clock follows from them.
SMS, CLOCK, MEMORY = 132, 1.98e9, 3.35e12
PEAK = {'fp64': 33.5e12, 'fp32': 67e12, 'tensor': 67e12}
# Threads' instructions that a multiprocessor of sm_90 takes in a clock: the CUDA programming guide,
# "Arithmetic instructions". Memory: 32 threads whose words lie in 128 bytes; others need several clocks.
RATE = {'fp64': 64, 'fp32': 128, 'integer': 64, 'special': 16, 'memory': 32, 'issue': 128}
PIPE = {'fp64': 'DADD DMUL DFMA DSETP', 'fp32': 'FADD FMUL FFMA', 'special': 'MUFU I2F F2F F2I POPC',
        'integer': 'LOP3 IADD3 ISETP SEL FSEL FSETP SHF LEA VIADD PLOP3 IMNMX PRMT',
        'memory': 'LDS LDG STS STG LD ST LDL STL'}
PIPE_OF = {word: pipe for pipe, words in PIPE.items() for word in words.split()}

Work = collections.namedtuple('Work', 'kernel unit kind flops bytes now before')
# A loop that does some of a unit's work: the innermost one of `function` with most of `op`, of which it has
# `each` for an item (0: a turn of the loop is an item). clocks: of a warp's memory instructions, if not 1.
Loop = collections.namedtuple('Loop', 'function op each items clocks', defaults=({},))
# Instructions of an item, by hand, where they are in no loop.
Hand = collections.namedtuple('Hand', 'items counts')

ROWS_81 = 2000 * 81  # numbers of a row of 2000 that are added in one pass of 81
NODES = 1001 * 1002 // 2
PAIRS = 999 * 1000 // 2
BOUND = Hand(PAIRS, {'issue': 110, 'fp32': 45, 'integer': 35})  # a lower bound, and whether it suffices

WORKS = [
    # 3 flops for each coordinate of each centroid, and its sum; the point twice, and a square and a label out
    # and in
    Work('kmeans', 'a point: 16 coordinates, 64 clusters', 'fp64', 3 * 64 * 16 + 16, 2 * 128 + 2 * 12,
         [Loop('nearestIdLi16', 'DFMA', 1, 64 * 16), Loop('3addId', 'DADD', 1, 18, {'LD': 2, 'ST': 2})],
         [Loop('nearestId', 'DFMA', 1, 64 * 16, {'LDG.64': 16.5}), Loop('3addId', 'LDG.64', 1, 64 * 17 + 1)]),
    # 2 for 81 numbers in each of two passes; a byte in, a float64 between the passes, a float32 out
    Work('gaussian', 'a row: 2000 pixels, 81 x 81', 'fp64', 4 * ROWS_81, 2000 * (1 + 8 + 8 + 4),
         [Loop('3sumIh', 'DFMA', 1, ROWS_81, {'LDS.64': 1.5}),
          Loop('3sumId', 'DFMA', 1, ROWS_81, {'LDS.64': 1.5})],
         [Loop('11sum_columnsIh', 'DFMA', 0.5, ROWS_81),
          Loop('8sum_rows', 'DFMA', 0.5, ROWS_81, {'LDG.64': 1.7})]),
    # 20 for each pair; a position and a mass, a velocity, both new ones, and energies out and in
    Work('nbody, float64', 'a body of 10,000', 'fp64', 20 * 10000, 32 + 24 * 4 + 40 * 2,
         [Loop('advanceId', 'MUFU', 1, 10000)], [Loop('advanceId', 'MUFU', 1, 10000)]),
    Work('nbody, float32', 'a body of 10,000', 'fp32', 20 * 10000, 16 + 12 * 4 + 40 * 2,
         [Loop('advanceIf', 'MUFU', 1, 10000)], [Loop('advanceIf', 'MUFU', 1, 10000)]),
    # 6 for each node: three products, two sums, a comparison; a contract in, a price out
    Work('binomial', 'an American option, 1001 steps', 'fp64', 6 * NODES, 64,
         # 38 nodes for 32, and the last warp of 256 nodes is not full: 2468 x 256 nodes for 501501.
         [Loop('treesILb1', 'DSETP', 1, 38 / 32 * 2468 * 256, {'LDS.64': 2, 'STS.64': 2})],
         [Loop('5treesE', 'DSETP', 1, NODES, {'LD': 2, 'ST': 2}),
          Hand(256 * 1001, {'issue': 40, 'fp64': 20})]),  # each thread's exp in each step
    # no flops: 8 words of 64 samples for each of 499,500 pairs; all words lie in caches
    Work('grn, pairs', 'a target: 1000 genes, 512 samples, two levels', 'fp64', 0, 0,
         [Loop('findILi2ELi2', 'POPC', 80 / 12, PAIRS * 9), BOUND],
         [Loop('findILi2ELi2', 'POPC', 16, PAIRS * 8), BOUND]),
    # 3 products and 4 sums, none fused; nothing in
    Work('mandelbrot', 'a step of a point', 'fp64', 7, 0,
         [Loop('escape', 'DMUL', 3, 1)], [Loop('escape', 'DMUL', 3, 1)]),
    # 7 for each term; a value and an error out
    Work('taylor', 'a point, 21 terms', 'fp64', 7 * 21, 24, [Loop('3sumE', 'DMUL', 1, 21)], None),
    # the loop's products, sums, and twice the fused ones; a contract in, six results out
    Work('blackscholes, closed', 'an option', 'fp64', 510, 104,
         [Loop('closed', 'DFMA', 0, 1, {'LDG': 14, 'STG': 12})], None),
    # as above, half a turn of the loop; nothing in
    Work('blackscholes, montecarlo', 'a path', 'fp64', 95, 0, [Loop('montecarlo', 'DFMA', 0, 0.5)], None),
    # a product, two sums; b and c in, a out
    Work('triad', '4096 elements', 'fp64', 3 * 4096, 24 * 4096,
         [Loop('triadI7double2', 'DFMA', 1, 4096, {'LDG.128': 4, 'STG': 4})], None),
    # 2 for each entry and column; entries in, a row out; B lies in the second-level cache
    Work('spmm, without cuSPARSE', 'a row: 16 entries, 64 columns', 'fp64', 2 * 16 * 64,
         16 * 12 + 8 + 64 * 8, [Loop('multiply', 'DFMA', 1, 16 * 64, {'LDG.64': 1.5})], None),
    # 2 for each element of A; a column in, a column out
    Work('matmul, by cuBLAS', 'a column, 1024 x 1024', 'tensor', 2 * 1024 ** 2, 2 * 8 * 1024, [], None),
]

# Threads of a block, and bytes of shared memory that a launch asks for, at the sizes above.
LAUNCHES = {'kmeans add': (32, 32 * 64 * 8), 'kmeans fold': (512, 0), 'kmeans nearest': (256, 0),
            'gaussian sum': (256, 0), 'nbody advance': (256, 0), 'nbody add': (1024, 0),
            'binomial trees': (128, 10 * 128 * 8), 'grn find': (128, 0), 'grn merge': (128, 3 * 8),
            'mandelbrot escape': (256, 0), 'taylor sum': (256, 0), 'blackscholes closed': (256, 0),
            'blackscholes montecarlo': (256, 0), 'triad triad': (256, 0), 'spmm multiply': (256, 0),
            'spmm rebase': (256, 0)}


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f'kernel-resources: {command[0]} failed: {done.stderr.strip()[-500:]}')
    return done.stdout + done.stderr


def compiled(tree, kernel, folder):
    """What ptxas says of each function, by mangled name, and what cuobjdump disassembles of it."""
    target = f'{folder}/{kernel}.cubin'
    said = run(NVCC, '-O3', '-std=c++17', '-arch=sm_90', '-cubin', '-Xptxas', '-v',
               f'-I{tree}/runtime/include', f'{tree}/kernels/{kernel}/{kernel}.cu', '-o', target)
    found = {}
    for part in re.split(r"Compiling entry function '", said)[1:]:
        name = part.split("'", 1)[0]
        number = lambda pattern: int((re.findall(pattern, part) or ['0'])[0])  # noqa: E731
        found[name] = {'registers': number(r'Used (\d+) registers'), 'shared': number(r'(\d+) bytes smem'),
                       'spills': number(r'(\d+) bytes spill stores')}
    for part in run(CUOBJDUMP, '-sass', target).split('Function : ')[1:]:
        name = part.split('\n', 1)[0].strip()
        if name in found:
            found[name]['code'] = [(int(at, 16), op) for at, op in
                                   re.findall(r'/\*([0-9a-f]{4,6})\*/\s+(.*?)\s*;', part)]
    return found


def word_of(instruction):
    word = re.sub(r'^@!?U?P\w+ ', '', instruction).split()[0].split('.')
    wide = next((w for w in word[1:] if w in ('64', '128')), None)
    return word[0] + (f'.{wide}' if wide and word[0] in ('LDS', 'LDG', 'STS', 'STG') else '')


def loop_of(code, op):
    """The instructions of the innermost loop that has most of `op`; of several the shortest one."""
    back = [(int(to, 16), at) for at, text in code for to in re.findall(r'\bBRA\b.*?0x([0-9a-f]+)', text)
            if int(to, 16) <= at]
    best = collections.Counter()
    for first, last in back:
        if any(first <= f and at <= last and (f, at) != (first, last) for f, at in back):
            continue
        words = collections.Counter(word_of(text) for at, text in code if first <= at <= last)
        if (words[op], -sum(words.values())) > (best[op], -sum(best.values())):
            best = words
    return best


def busy_in(functions, part):
    """Clocks for which a part of a unit's work keeps each pipe of a multiprocessor busy."""
    if isinstance(part, Hand):
        return {pipe: part.items * n / RATE[pipe] for pipe, n in part.counts.items()}
    code = [f['code'] for name, f in sorted(functions.items()) if part.function in name]
    words = loop_of(code[0], part.op) if code else collections.Counter()
    if words[part.op] == 0:
        sys.exit(f"kernel-resources: no loop of '{part.function}' has {part.op}; correct WORKS in {__file__}")
    turns = part.items * (part.each / words[part.op] if part.each else 1)
    counts = collections.Counter({'issue': sum(words.values())})
    for word, n in words.items():
        name = word.split('.')[0]
        pipe = PIPE_OF.get(name)
        counts[pipe or 'issue'] += 0 if pipe is None else n * part.clocks.get(word, part.clocks.get(name, 1))
    return {pipe: turns * n / RATE[pipe] for pipe, n in counts.items()}


def clocks(functions, parts):
    """Clocks of a multiprocessor for a unit, and the pipe that needs most of them."""
    all_of = collections.Counter()
    for part in parts:
        busy = busy_in(functions, part)
        worst = max(busy, key=busy.get)
        all_of[worst] += busy[worst]
    return sum(all_of.values()), (all_of.most_common(1) or [('', 0)])[0][0]


def blocks_of(threads, registers, shared):
    """Blocks that a multiprocessor of sm_90 holds. Each takes a KiB of shared memory more than it asks."""
    warps = (threads + 31) // 32
    of_warp = -(-registers * 32 // 256) * 256
    of_block = -(-(shared + 1024) // 128) * 128
    return min(64 // warps, 65536 // (of_warp * warps), 228 * 1024 // of_block, 32)


def short(number):
    for power, name in ((1e12, ' T'), (1e9, ' G'), (1e6, ' M'), (1e3, ' k')):
        if number >= power:
            return f'{number / power:.3g}{name}'
    return f'{number:.3g}'


def simple_name(mangled):
    """The last name of _ZN..., which is that of the function."""
    rest, name = mangled[3:], mangled
    while found := re.match(r'(\d+)', rest):
        length = int(found.group(1))
        name, rest = rest[found.end():found.end() + length], rest[found.end() + length:]
    return name


def span(numbers):
    return '–'.join(f'{n:,}' for n in sorted({min(numbers), max(numbers)}))


def row(cells):
    return '| ' + ' | '.join(str(c) for c in cells) + ' |'


def by_name(functions):
    """The forms of each function: one for each set of template arguments."""
    groups = collections.defaultdict(list)
    for name, f in functions.items():
        groups[simple_name(name)].append(f)
    return sorted(groups.items())


def resources(kernels):
    lines = ['| function | forms | threads | registers | shared memory | spills | blocks | occupancy |',
             '|---|---|---|---|---|---|---|---|']
    for kernel, functions in kernels.items():
        for name, forms in by_name(functions):
            threads, dynamic = LAUNCHES[f'{kernel} {name}']
            shared = [f['shared'] + dynamic for f in forms]
            blocks = [blocks_of(threads, f['registers'], f['shared'] + dynamic) for f in forms]
            cells = [f'{kernel} `{name}`', len(forms), threads, span([f['registers'] for f in forms]),
                     f'{span(shared)} B', f"{max(f['spills'] for f in forms)} B", span(blocks),
                     f'{span([n * threads * 100 // 2048 for n in blocks])} %']
            lines.append(row(cells))
    return lines


def before_lines(before, commit):
    """Registers of the functions that a commit had, of the kernels that it had in another form."""
    lines = [f'Before, at commit {commit}:', '', '| function | forms | registers | spills |',
             '|---|---|---|---|']
    changed = {w.kernel.split(',')[0] for w in WORKS if w.before}
    for kernel in sorted(changed):
        for name, forms in by_name(before[kernel]):
            lines.append(row([f'{kernel} `{name}`', len(forms), span([f['registers'] for f in forms]),
                              f"{max(f['spills'] for f in forms)} B"]))
    return lines + ['']


def bounds(kernels, before):
    head = ['kernel', 'a unit', 'flops', 'bytes', 'flops/byte', 'roofline, units/s',
            'by instructions, units/s', 'limit'] + (['before', 'limit'] if before else [])
    lines = [row(head), '|' + '---|' * len(head)]
    for w in WORKS:
        roof = min([PEAK[w.kind] / w.flops if w.flops else 1e99, MEMORY / w.bytes if w.bytes else 1e99])
        cells = [w.kernel, w.unit, f'{w.flops:,}' if w.flops else '', f'{w.bytes:,}' if w.bytes else '',
                 short(w.flops / w.bytes) if w.flops and w.bytes else '', short(roof) if roof < 1e99 else '']
        name = w.kernel.split(',')[0]
        for trees, parts in ((kernels, w.now), (before, w.before or w.now)):
            if trees is None:
                continue
            of_unit, pipe = clocks(trees[name], parts) if parts else (0, '')
            memory = w.bytes / MEMORY if w.bytes else 0.0
            by_code = of_unit / (SMS * CLOCK)
            cells += [short(1 / max(by_code, memory)) if by_code else '',
                      'HBM' if by_code and memory > by_code else pipe]
        lines.append(row(cells))
    return lines


def main():
    commit = os.environ.get('BEFORE')
    names = sorted(p.parent.name for p in ROOT.glob('kernels/*/*.cu') if p.parent.name != 'matmul')
    with tempfile.TemporaryDirectory() as folder:
        now = {k: compiled(ROOT, k, folder) for k in names}
        before = None
        if commit:
            old = f'{folder}/before'
            os.mkdir(old)
            archive = subprocess.run(['git', '-C', ROOT, 'archive', commit, 'kernels', 'runtime/include'],
                                     capture_output=True, check=True)
            subprocess.run(['tar', '-x', '-C', old], input=archive.stdout, check=True)
            before = {k: compiled(old, k, folder) for k in names}
    text = resources(now) + [''] + (before_lines(before, commit) if before else []) + bounds(now, before)
    if PAGE == '-':
        print('\n'.join(text))
        return
    page = pathlib.Path(PAGE).read_text()
    begin, end = '<!-- make kernel-resources -->\n', '<!-- end -->\n'
    head, rest = page.split(begin)
    page = head + begin + '\n' + '\n'.join(text) + '\n\n' + end + rest.split(end)[1]
    pathlib.Path(PAGE).write_text(page)


if __name__ == '__main__':
    main()
