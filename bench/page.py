"""Writes docs/benchmarks.md, or the page that is named, of the records that ./bench/run --json wrote.

python3 bench/page.py docs/benchmarks.md < records
"""

import json
import sys

PROBLEMS = {
    "attention": "Attention of 8 heads of width 64 where each position sees those before it: "
                 "heads x length x width. The peak counts the scores that are seen.",
    "chain": "Elementwise chains, by the number of floats of each operand.",
    "compile": "From a recording to something that runs.",
    "cross_entropy": "The loss of a language model and its gradient: rows x words.",
    "digits": "An epoch of training on the handwritten digits.",
    "dispatch": "What a call costs that has almost nothing to compute.",
    "mlp": "The feed-forward block of a transformer: rows x width.",
    "optimizer": "An update of many parameters.",
    "outer_sum": "sum(x[:, :, None] * y[:, None, :]) over the last two axes, in f64.",
    "product": "Matrix products.",
    "recording": "What an operation costs while it is recorded.",
    "rows": "Row functions of models, forward and backward.",
    "softmax": "Row functions over (4096, 1024) floats.",
    "transformer": "A block of a transformer, forward and a training step: batch x length x width. "
                   "The peak counts the products.",
    "user_build": "What a user's build costs.",
}

HEAD = """# Benchmarks

What `./bench/run` measured, problem by problem, against loops written by hand, against torch, and against times that must be met.

This page is made by `./bench/run --peers --page`, from its records; do not edit it.

{machine}

Times are medians of interleaved runs. A ratio is peer / sinter: above 1 where sinter is faster. The target is the least ratio that the
design asks for; a dash where it asks for none. *Bound* is a time that must be met, *by hand* a loop that a person would write, *FMA
peak* the arithmetic at the measured peak of the machine. Sizes that do not look round were drawn at random by the run.
"""


def time_text(seconds):
    size = abs(seconds)
    for unit, scale in (("ns", 1e9), ("us", 1e6), ("ms", 1e3)):
        if size * scale < 1000:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds:.3g} s"


def machine_text(machine):
    text = (f"Measured on {machine['date']} on {machine['machine']}, {machine['cores']} cores, with "
            f"{machine['compiler']}; peer: {machine['peer']}.")
    if machine["load"] > 0.5:
        text += (f"\nThe machine was busy: a load of {machine['load']:g} on {machine['cores']} cores "
                 "when the run began, so times are too long, and those of two threads tell little.")
    return text


def table(rows):
    lines = ["| size | threads | sinter | peer | | ratio | target |", "|---|---|---|---|---|---|---|"]
    for row in rows:
        target = f"{row['target']:g}, {'met' if row['met'] else 'missed'}" if row["target"] else "-"
        lines.append(f"| {row['size']} | {row['threads']} | {time_text(row['sinter'])} "
                     f"| {time_text(row['peer'])} | {row['peer_name']} | {row['ratio']:.3g} "
                     f"| {target} |")
    return "\n".join(lines)


def page(records):
    machine = next(record for record in records if "machine" in record)
    rows = [record for record in records if "problem" in record]
    result = HEAD.format(machine=machine_text(machine))
    for problem in sorted({row["problem"] for row in rows}):
        own = [row for row in rows if row["problem"] == problem]
        result += f"\n## {problem}\n\n{PROBLEMS.get(problem, '')}\n\n{table(own)}\n"
    return result + ("\n## See also\n\n[performance_notes.md](performance_notes.md): why it is as fast "
                     "as it is, and where it is not. [seeing.md](seeing.md): how to find out for a "
                     "program of yours.\n")


def main():
    records = [json.loads(line) for line in sys.stdin if line.strip()]
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        out.write(page(records))


main()
