#include <doctest/doctest.h>
#include <sinter/base/fault.hpp>
#include <sinter/base/loop_table.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("loop_table: generated kernels have these numbers in their text") {
  static_assert(LoopTable::head_words == 5 && LoopTable::states == 0 && LoopTable::reverse == 4);
  static_assert(LoopTable::state_words == 6 && LoopTable::current == 3 && LoopTable::next == 4);
  static_assert(LoopTable::sequence_words == 3 && LoopTable::position == 2);
  static_assert(sizeof(Fault) <= LoopTable::fault_bytes);
  CHECK(static_cast<int>(ControlKernel::count) == 4);
}
