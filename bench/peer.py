"""The other end of bench/peer.hpp: prepares and times what the benchmark asks for, line by line."""

import os
import sys
import time


def seconds_of(body, repeats):
    start = time.perf_counter()
    for _ in range(repeats):
        body()
    return time.perf_counter() - start


class Sample:
    """As in bench/measure.hpp: a turn is a warm-up, which is not timed, and a sample."""

    def __init__(self, body, sample=2e-3):
        self.body, self.sample, self.repeats, self.seconds_per_call = body, sample, 1, 0
        while (spent := seconds_of(body, self.repeats)) < sample / 2:
            self.repeats *= 2
        self.repeats = max(1, int(self.repeats * sample / spent))

    def __call__(self):
        if self.repeats > 8:
            seconds_of(self.body, self.repeats // 2)
        elif self.seconds_per_call < 8 * self.sample:
            self.seconds_per_call = seconds_of(self.body, 1)
        return seconds_of(self.body, self.repeats) / self.repeats


class Functions:
    """The cases "eager f 4096x1024" and "compile f 4096x1024" of a table of functions.

    f(4096, 1024) gives a function and the arguments to call it with. "best" is "compile" in the
    mode max-autotune, with frozen parameters: for functions without gradients.
    """

    def __init__(self, table):
        self.table = table

    def __contains__(self, name):
        return name.split(" ")[1] in self.table

    def __getitem__(self, name):
        def prepare():
            import torch

            torch._dynamo.reset()  # so that code is generated for the current number of threads
            kind, function, sizes = name.split(" ")
            run, *arguments = self.table[function](*map(int, sizes.split("x")))
            if kind == "best":
                import torch._inductor.config

                torch._inductor.config.freezing = True
                run = torch.no_grad()(torch.compile(run, mode="max-autotune"))
            elif kind == "compile":
                run = torch.compile(run)
            return lambda: run(*arguments)

        return prepare


class Server:
    """Answers "prepare <threads> <case>" with "ready", "run" with the seconds of one call, and
    "tell <threads> <case>" with what tells[case]() gives.

    `cases` maps the name of a case to a function that sets it up and returns what is timed.
    """

    def __init__(self, cases, set_threads, tells, sampler):
        self.cases, self.set_threads, self.tells = cases, set_threads, tells
        self.sampler = sampler
        self.sample = None

    def prepare(self, name):
        self.sample = None  # the previous case, whose memory is no longer needed
        body = self.cases[name]()
        for _ in range(2):  # compilation may happen twice
            body()
        self.sample = self.sampler(body)
        return "ready"

    def answer(self, line):
        verb, *rest = line.strip().split(" ", 2)
        if verb == "run":
            return f"{self.sample():.9g}"
        name = rest[1]
        self.set_threads(int(rest[0]))
        if name not in (self.cases if verb == "prepare" else self.tells):
            return "unknown"
        return self.prepare(name) if verb == "prepare" else self.tells[name]()


def serve(cases, set_threads, tells=(), sampler=Sample):
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # output of libraries must not be taken for an answer
    server = Server(cases, set_threads, tells, sampler)
    for line in sys.stdin:
        try:
            answer = server.answer(line)
        except Exception as error:  # a case that the peer cannot run is left out of the table
            print(f"{line.strip()}: {error}", file=sys.stderr)
            answer = "failed"
        print(answer, file=answers, flush=True)
