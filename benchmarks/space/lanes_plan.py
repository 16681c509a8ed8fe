"""Makes vectorised and coarsened variants of lanes.cl, and the plan that ../mended/pairs.c times, on any device:

    python3 lanes_plan.py FPGACC FOLDER >plan && pairs plan GPU >times.csv
    python3 lanes_plan.py --best times.csv

Each variant stands behind the kernel as it is; a variant's groups have the size that fpgacc states for it.
"""
import csv
import itertools
import math
import pathlib
import re
import subprocess
import sys

LOCAL = (64, 4)
ROWS = {"multiply": 1024, "convolve": 2048, "options": 2048, "relax": 2048}
LANES = (1, 2, 4, 8, 16)
COARSENED = [None] + [f"{dim}:{factor}:{stride}" for dim in (0, 1) for factor in (2, 4) for stride in ("1", "local")]
HERE = pathlib.Path(__file__).resolve().parent


def variants(fpgacc, folder):
    """The file of each variant, by what is done."""
    for lanes, coarsened in itertools.product(LANES, COARSENED):
        name = f"vectorise={lanes};coarsen={coarsened or 1}"
        options = [f"--vectorise={lanes}"] * (lanes > 1) + [f"--coarsen={coarsened}"] * (coarsened is not None)
        path = folder / (re.sub("[:;=]", "_", name) + ".cl")
        command = [fpgacc, "-w", "--emit=kernels", "-fexecution-model=ndrange", "-o", path, *options, "lanes.c", "lanes.cl"]
        subprocess.run(command, cwd=HERE, check=True)
        yield name, path


def kernel(name, variant, path, local, key):
    """What the plan says of one kernel."""
    rows = ROWS[name]
    sizes = [rows * own // usual for own, usual in zip(local, LOCAL)]
    elements = 2 * (rows + 4) ** 2
    args = [f"floats {elements}", "floats 64" if name == "convolve" else f"floats {elements}", f"floats {elements}"]
    args += [f"int {rows}"] + ["int 0"] * key
    lines = [f"kernel {variant} {name} {path}", "global {} {}".format(*sizes), "local {} {}".format(*local)]
    return "\n".join(lines + [f"arg {arg}" for arg in args] + ["run"])


def plan(fpgacc, folder):
    """Prints it."""
    folder.mkdir(parents=True, exist_ok=True)
    pattern = r"reqd_work_group_size\((\d+), (\d+), 1\)\)\)\s+__kernel void (\w+)"
    for variant, path in variants(fpgacc, folder):
        for x, y, name in re.findall(pattern, path.read_text()):
            print(kernel(name, variant, HERE / "lanes.cl", LOCAL, False))
            print(kernel(name, variant, path, (int(x), int(y)), True))


def best(path):
    """Prints the fastest variant of each kernel."""
    gains = {}
    with open(path) as file:
        for row in csv.DictReader(file):
            entry = (float(row["gain"]), row["program"], float(row["difference"]))
            gains.setdefault(row["kernel"], []).append(entry)
    for name, entries in gains.items():
        gain, variant, _ = max(entries)
        print(f"{name}: {gain:.2f} with {variant}, of {len(entries)}; largest difference {max(e[2] for e in entries):g}")
        for what in ("vectorise=1;", "coarsen=1;"):
            alone = max(entry for entry in entries if what in entry[1] + ";")
            print(f"    {alone[0]:.2f} with {alone[1]}")
    mean = math.prod(max(entries)[0] for entries in gains.values()) ** (1 / len(gains))
    print(f"geometric mean of the best: {mean:.2f}")


if sys.argv[1] == "--best":
    best(sys.argv[2])
else:
    plan(sys.argv[1], pathlib.Path(sys.argv[2]).resolve())
