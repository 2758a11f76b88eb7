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
