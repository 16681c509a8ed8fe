"""What Nsight Compute counted of each source line, as CSV: lines.py ORDER REPORT.ncu-rep ..

Needs Nsight Compute's own module `ncu_report` (extras/python of its installation) on PYTHONPATH. ORDER is what `counters`
wrote: a line for each launch, in their order. A row is for all instructions of a line that are of one kind and move as many
sectors a warp:
read, write   accesses to global memory: warps that executed one, sectors moved, sectors that would do
localread, localwrite  the same of local memory, in turns that it takes
branch        warps that executed a branch, of these with lanes that went different ways
"""
import csv
import sys

import ncu_report

METRICS = {
    "sectors": "memory_l2_theoretical_sectors_global",
    "ideal": "memory_l2_theoretical_sectors_global_ideal",
    "turns": "memory_l1_wavefronts_shared",
    "ideal_turns": "memory_l1_wavefronts_shared_ideal",
    "executed": "inst_executed",
    "diverged": "smsp__branch_targets_threads_divergent",
}


def instances(action, metric):
    """The value of a metric for each instruction, by its address."""
    found = action.metric_by_name(metric)
    if found is None or not found.has_correlation_ids():
        return {}
    addresses = found.correlation_ids()
    return {addresses.as_uint64(i): found.as_uint64(i) for i in range(found.num_instances())}


def kind(text):
    """What an instruction is, from its text: `@!P0 LDG.E R0, ..`."""
    words = [word for word in text.split() if not word.startswith("@")]
    name = words[0].split(".")[0] if words else ""
    if name in ("LDG", "LD"):
        return "read"
    if name in ("STG", "ST"):
        return "write"
    if name in ("ATOMG", "RED", "ATOM"):
        return "atomic"
    if name == "LDS":
        return "localread"
    if name in ("STS", "ATOMS"):
        return "localwrite"
    return "branch" if name == "BRA" else None


def lines(action):
    """Sums by line, kind and sectors a warp."""
    values = {name: instances(action, metric) for name, metric in METRICS.items()}
    sums = {}
    for address, executed in values["executed"].items():
        source = action.source_info(address)
        what = kind(action.sass_by_pc(address))
        if source is None or what is None or executed == 0:
            continue
        moved = ("turns", "ideal_turns") if what.startswith("local") else ("sectors", "ideal")
        counted = [values[name].get(address, 0) for name in ("executed", *moved, "diverged")]
        average = round(counted[1] / executed, 2)
        entry = sums.setdefault((source.line(), what, average), [0, 0, 0, 0])
        for place, value in enumerate(counted):
            entry[place] += value
    return sums


def main():
    with open(sys.argv[1]) as file:
        order = [line.split() for line in file]
    actions = []
    for path in sys.argv[2:]:
        report = ncu_report.load_report(path)
        for part in range(report.num_ranges()):
            actions += [report.range_by_idx(part).action_by_idx(i) for i in range(report.range_by_idx(part).num_actions())]
    rows = csv.writer(sys.stdout, lineterminator="\n")
    rows.writerow(["program", "kernel", "local", "line", "kind", "executed", "sectors", "ideal", "diverged"])
    assert len(order) == len(actions), (len(order), len(actions))
    for (program, kernel, *local), action in zip(order, actions):
        for (line, what, _), values in sorted(lines(action).items()):
            rows.writerow([program, kernel, "x".join(local), line, what, *values])


main()
