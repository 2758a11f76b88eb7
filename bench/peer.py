"""The other end of bench/peer.hpp: prepares and times what the benchmark asks for, line by line."""

import os
import sys
import time


def repeats_for(body, sample):
    repeats = 1
    while True:
        start = time.perf_counter()
        for _ in range(repeats):
            body()
        spent = time.perf_counter() - start
        if spent >= sample / 2:
            return max(1, int(repeats * sample / spent))
        repeats *= 2


class Functions:
    """The cases "eager f 4096x1024" and "compile f 4096x1024" of a table of functions.

    f(4096, 1024) gives a function and the arguments to call it with.
    """

    def __init__(self, table):
        self.table = table

    def __contains__(self, name):
        return name.split(" ")[1] in self.table

    def __getitem__(self, name):
        def prepare():
            import torch

            torch._dynamo.reset()  # so that code is made for the present number of threads
            kind, function, sizes = name.split(" ")
            run, *arguments = self.table[function](*map(int, sizes.split("x")))
            run = torch.compile(run) if kind == "compile" else run
            return lambda: run(*arguments)

        return prepare


def serve(cases, set_threads, sample=2e-3):
    """Answers "prepare <threads> <case>" with "ready", and "run" with the seconds of one call.

    `cases` maps the name of a case to a function that sets it up and returns what is timed.
    """
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print must not be taken for an answer
    body, repeats = None, 1
    for line in sys.stdin:
        words = line.split(" ", 2)
        if words[0] == "prepare":
            threads, name = int(words[1]), words[2].strip()
            answer = "unknown"
            if name in cases:
                try:
                    set_threads(threads)
                    body = cases[name]()
                    body()
                    repeats = repeats_for(body, sample)
                    answer = "ready"
                except Exception as error:  # a peer that cannot run a case is left out of the table
                    print(f"{name}: {error}", file=sys.stderr)
                    answer = "failed"
        else:
            start = time.perf_counter()
            for _ in range(repeats):
                body()
            answer = f"{(time.perf_counter() - start) / repeats:.9g}"
        print(answer, file=answers, flush=True)
