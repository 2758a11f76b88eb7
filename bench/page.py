"""Writes docs/benchmarks.md, or the named page, from the records of ./bench/run --json.

python3 bench/page.py docs/benchmarks.md < records
"""

import json
import sys

PROBLEMS = {
    "attention": "Causal attention with 8 heads of width 64: heads x length x width. The roof counts "
                 "only the scores that the mask keeps.",
    "chain": "Elementwise chains, by the number of floats of each operand.",
    "compile": "From compile() to the first result.",
    "convolution": "Depthwise, grouped and strided convolutions, and pools, of random shapes: batch, "
                   "channels, height, width, channels of the result, window, stride, padding, "
                   "dilation, groups.",
    "cross_entropy": "The loss of a language model and its gradient: rows x words.",
    "digits": "An epoch of training on the handwritten digits.",
    "dispatch": "The overhead of a call, with almost nothing to compute.",
    "dynamic": "One graph for all lengths, against one graph for this length.",
    "gpu": "On a GPU: problem, sizes, and the clock: GPU events, wall clock until the last call is "
           "done, or host time, which ends earlier. The roof is a copy on the GPU.",
    "maths": "Mathematical functions, over arrays that fit into a cache.",
    "memory": "Bytes that a call needs beyond its arguments, results and state, as the allocators "
              "count them: the peer is the peak of torch's.",
    "mlp": "The feed-forward block of a transformer: rows x width.",
    "models": "The models of <sinter/models.hpp>: a training step (forward, loss, gradients, and an update by SGD or "
              "AdamW) or inference, of a batch. *best* is torch.compile in the mode max-autotune with frozen parameters. "
              "*peak* is the peak memory of the process; *cold* the first call of a training step, *warm* the same with "
              "the kernels on disk.",
    "optimizer": "An update of many parameters: their number, and the least width of the matrices "
                 "among them.",
    "outer_sum": "sum(x[:, :, None] * y[:, None, :]) over the last two axes, in f64.",
    "plain_loop": "A training step of a plain loop in which only the model is compiled.",
    "planning": "From the recorded graph of a training step to the text of every kernel: the target, and the number of "
                "operations.",
    "product": "Matrix products: rows x columns x depth.",
    "recording": "The cost of recording an operation.",
    "rows": "Row functions of models, forward and backward.",
    "softmax": "Row functions as they occur in transformers: rows x columns.",
    "transformer": "A block of a transformer, forward and a training step: batch x length x width. "
                   "The roof counts the products.",
    "user_build": "The build time of a user's program.",
}

HEAD = """# Benchmarks

What `./bench/run` measured, problem by problem, against handwritten loops, against torch, and against fixed bounds.

This page is made by `./bench/run --peers --page`, from its records; do not edit it.

{machine}

{met} of {aimed} rows reach their target.

A ratio is peer / sinter: above 1 if sinter is faster, or needs less. The target is the least ratio that the design requires; a
dash means none. The peer *bound* is a time that must be met, *by hand* a handwritten loop, *multiply-adds* the arithmetic of a
product in registers. The roof is the least time that the machine needs to copy the bytes that must be read and written, from the
cache or memory that holds them, or to do the arithmetic at its measured peak. The share is roof / time: more than 1 means that
the data stayed in a cache that the copy bypassed. Sizes that are not round were drawn at random by the run.

Method: sinter and a peer take turns, 5 to 15 times, and the order alternates. A turn is an untimed warm-up and a sample of 2 ms
or of one call. Times are medians over the turns, ratios medians over the pairs. A peer in another process is stopped (SIGSTOP)
while it is not its turn, because its OpenMP threads spin for some milliseconds after each call, on the core that sinter's second
thread needs. Compiled peers are torch.compile without options unless their row says *best*.
"""


def amount_text(amount, unit):
    step, names = (1e3, ("ns", "us", "ms", "s")) if unit == "s" else (1024, ("B", "KiB", "MiB", "GiB"))
    shown, at = (amount * 1e9 if unit == "s" else amount), 0
    while abs(shown) >= min(step, 999.5) and at < 3:
        shown, at = shown / step, at + 1
    return f"{shown:.3g} {names[at]}"


def machine_text(machine):
    text = (f"Measured on {machine['date']} on {machine['machine']}, {machine['cores']} cores, with "
            f"{machine['compiler']}; peer: {machine['peer']}.")
    if machine["load"] > 0.5:
        text += (f"\nThe machine was busy: a load of {machine['load']:g} on {machine['cores']} cores "
                 "when the run began, so times are too long, and those of two threads are unreliable.")
    if machine.get("stolen", 0) > 0.02:
        text += (f"\nThe host gave {machine['stolen']:.0%} of the processors' time in the run to other "
                 "machines: pairs in which one was stopped are unreliable, above all with two threads.")
    return text


def line_of(row):
    unit = row.get("unit", "s")
    target = f"{row['target']:g}, {'met' if row['met'] else '**missed**'}" if row["target"] else "-"
    least = row.get("least", 0)
    roof = f"{amount_text(least, unit)} | {least / row['sinter']:.2g}" if least else "- | -"
    return (f"| {row['size']} | {row['threads']} | {amount_text(row['sinter'], unit)} "
            f"| {amount_text(row['peer'], unit)} | {row['peer_name']} | {row['ratio']:.3g} "
            f"| {target} | {roof} |")


def table(rows):
    head = ["| size | threads | sinter | peer | | ratio | target | roof | share |",
            "|---|---|---|---|---|---|---|---|---|"]
    return "\n".join(head + [line_of(row) for row in rows])


def section(problem, rows):
    text = f"\n## {problem}\n\n{PROBLEMS.get(problem, '')}\n\n{table(rows)}\n"
    if any(row["target"] and not row["met"] for row in rows):
        text += ("\nWhy rows miss their target: *" + problem + "* in "
                 "[performance_notes.md](performance_notes.md#rows-that-miss-their-target).\n")
    return text


def page(records):
    machine = next(record for record in records if "machine" in record)
    rows = [record for record in records if "problem" in record]
    aimed = [row for row in rows if row["target"]]
    result = HEAD.format(machine=machine_text(machine), aimed=len(aimed),
                         met=sum(row["met"] for row in aimed))
    for problem in sorted({row["problem"] for row in rows}):
        result += section(problem, [row for row in rows if row["problem"] == problem])
    return result + ("\n## See also\n\n[performance_notes.md](performance_notes.md): the optimisations, "
                     "and the rows that miss their target.\n[seeing.md](seeing.md): how to profile a "
                     "program.\n")


def main():
    records = [json.loads(line) for line in sys.stdin if line.strip()]
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        out.write(page(records))


main()
