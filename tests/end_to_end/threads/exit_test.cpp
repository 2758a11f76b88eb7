// Compiled functions that are called while the program, or a thread, ends.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "jit/support.hpp"

using namespace testing;

namespace {

constexpr int all_is_well = 42;

bool calls_when_static_objects_end = false;

float of_many_operations(float start) {
  static constexpr auto all = [](const Tensor& x) {
    const auto [count, total] =
        while_loop([](const Tensor& i, const Tensor&) { return i < 3; },
                   [&](const Tensor& i, const Tensor& sum) { return std::tuple(i + 1, sum + x); },
                   full({}, 0), zeros_like(x));
    return sum(matmul(total, ones({4, 2})) + rand({4, 2}) * 0);
  };
  static const auto& compiled = *new auto(compile(all));  // never destroyed
  const Tensor x = full({4, 4}, start);
  const Tensor gradient = grad([](const Tensor& y) { return sum(square(y)); })(x);
  return compiled(x).item<float>() + sum(gradient).item<float>() + (x + 1).to_vector<float>()[0];
}

float expected(float start) { return 3 * 4 * 8 * start + 2 * 16 * start + start + 1; }

// Owned by the test program: destroyed after everything that its first call creates for the
// process.
struct EndsLast {
  ~EndsLast() {
    if (!calls_when_static_objects_end) return;
    _exit(of_many_operations(2) == expected(2) ? all_is_well : 1);
  }
} ends_last;

struct EndsBehindThread {
  ~EndsBehindThread() { result = of_many_operations(3); }
  static inline float result = 0;
};

}  // namespace

TEST_CASE("compiled functions can be called by destructors of static objects") {
  CHECK(of_many_operations(1) == expected(1));
  const pid_t child = fork();
  if (child == 0) {
    calls_when_static_objects_end = true;
    std::exit(1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == all_is_well);
}

TEST_CASE("compiled functions can be called by destructors of objects of a thread") {
  std::thread([] {
    static thread_local EndsBehindThread ends;
    [[maybe_unused]] const EndsBehindThread* const begun = &ends;
    CHECK(of_many_operations(1) == expected(1));
  }).join();
  CHECK(EndsBehindThread::result == expected(3));
}
