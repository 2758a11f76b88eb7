#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include <sinter/runtime/host/loop_state.hpp>

using namespace sinter;
using namespace sinter::detail;
using runtime::detail::LoopState;

namespace {

// Adds 1 in each of `steps` steps, starting from `first`, as a loop of `known` length or as one of
// unknown length; returns the result.
int counted(int first, int steps, bool known) {
  int result = -1, other = -1;
  void *const results[]{&result}, *const others[]{&other};
  const std::int64_t bytes[]{sizeof(int)};
  LoopState state(results, others, bytes);
  std::vector<void*> given{&first};
  for (int step = 0; step < steps; ++step) {
    void* const next = state.next(known ? steps - 1 - step : step)[0];
    CHECK(next != given[0]);
    *static_cast<int*>(next) = *static_cast<int*>(given[0]) + 1;
    given[0] = next;
  }
  int copies = 0;
  state.write_results(given, [&](void* to, const void* from, std::size_t size) {
    std::memcpy(to, from, size);
    ++copies;
  });
  CHECK(copies == (steps == 0 || (!known && steps % 2 == 0) ? 1 : 0));
  return result;
}

}  // namespace

TEST_CASE("loop_state: steps alternate between two buffers, and the result is in the first") {
  for (const int steps : {0, 1, 2, 3, 8}) {
    CHECK(counted(5, steps, true) == 5 + steps);
    CHECK(counted(5, steps, false) == 5 + steps);
  }
}

TEST_CASE("loop_state: states without bytes are not copied") {
  int here = 0, there = 0;
  void *const results[]{&here}, *const others[]{&there};
  const std::int64_t bytes[]{0};
  const LoopState state(results, others, bytes);
  state.write_results(others, [](void*, const void*, std::size_t) { FAIL("nothing to copy"); });
}

TEST_CASE("loop_state: sizes and steps are those of the call") {
  const Extent n = Extent::symbol(0);
  schedule::Control control;
  control.bytes = {n * 4, Extent(8)};
  const std::int64_t symbols[]{5};
  CHECK(runtime::detail::sizes_of(control, symbols) == std::vector<std::int64_t>{20, 8});
  std::byte list[24];
  CHECK(runtime::detail::step_at(list, 2, 8) == list + 16);
}
