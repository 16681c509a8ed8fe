"""Conway's game of life with pyopencl, compared with numpy's result."""

import sys

import numpy
import pyopencl

WIDTH, HEIGHT, GENERATIONS = 64, 48, 10


def expected(cells):
    for _ in range(GENERATIONS):
        neighbours = sum(
            numpy.roll(cells, (dy, dx), (0, 1))
            for dy in (-1, 0, 1)
            for dx in (-1, 0, 1)
            if (dy, dx) != (0, 0)
        )
        cells = ((neighbours == 3) | ((neighbours == 2) & (cells == 1))).astype(numpy.uint8)
    return cells


cells = numpy.random.RandomState(1).randint(0, 2, (HEIGHT, WIDTH)).astype(numpy.uint8)
right = expected(cells)

device = pyopencl.get_platforms()[0].get_devices()[0]
context = pyopencl.Context([device])
queue = pyopencl.CommandQueue(context)
with open("life.cl") as text:
    program = pyopencl.Program(context, text.read()).build()
generation = program.generation

flags = pyopencl.mem_flags
now = pyopencl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=cells)
after = pyopencl.Buffer(context, flags.READ_WRITE, cells.nbytes)
for _ in range(GENERATIONS):
    generation(queue, (WIDTH, HEIGHT), (8, 8), now, after, numpy.int32(WIDTH), numpy.int32(HEIGHT))
    now, after = after, now
pyopencl.enqueue_copy(queue, cells, now)
queue.finish()

wrong = int((cells != right).sum())
print(f"{int(cells.sum())} of {cells.size} cells live after {GENERATIONS} generations: {wrong} wrong")
sys.exit(wrong != 0)
