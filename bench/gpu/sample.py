"""What the peers of bench/gpu share: how long a case takes, as timer.hpp measures it."""

import time


class Body:
    """A case, and the clock that it is timed by."""

    def __init__(self, run, clock):
        self.run, self.clock = run, clock

    def __call__(self):
        return self.run()


class Sample:
    """GpuSample of timer.hpp. `wait` takes what the last call gave, and returns when it is there."""

    def __init__(self, body, sample=20e-3):
        self.body, self.repeats = body, 1
        once = max(self.seconds(3, "wall") / 3, 1e-7)
        most = 64 if body.clock == "host" else 1 << 14
        self.repeats = min(max(int(sample / once), 1), most)

    def wait(self, result):
        raise NotImplementedError

    def seconds(self, repeats, clock):
        begin = time.perf_counter()
        for _ in range(repeats):
            result = self.body()
        given = time.perf_counter() - begin
        self.wait(result)
        return given if clock == "host" else time.perf_counter() - begin

    def __call__(self):
        self.seconds(max(1, self.repeats // 4), "wall")
        return self.seconds(self.repeats, self.body.clock) / self.repeats
