#include <doctest/doctest.h>
#include <sinter/symbol/dim.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("dim: is a number, a name or dyn") {
  CHECK(to_string(Dim(784)) == "784");
  CHECK(to_string(Dim("batch")) == "batch");
  CHECK(to_string(Dim("twenty_three_characters")) == "twenty_three_characters");
  CHECK(to_string(dyn) == "dyn");
  static_assert(Dim("batch") == Dim("batch"));
  static_assert(!(Dim("batch") == Dim("Batch")));
}

TEST_CASE("agree: dimensions differ if the compiler can tell") {
  static_assert(agree(Dims<2>{"batch", 64}, Dims<2>{"batch", dyn}));
  static_assert(!agree(Dims<2>{"batch", 64}, Dims<2>{"batch", 65}));
  static_assert(!agree(Dims<1>{64}, Dims<2>{1, 64}));
}

TEST_CASE("broadcast: dimensions meet as extents do, and dyn meets any") {
  static_assert(broadcast(Dims<2>{"batch", 10}, Dims<1>{dyn}) == Dims<2>{"batch", 10});
  static_assert(broadcast(Dims<2>{"batch", 1}, Dims<1>{10}) == Dims<2>{"batch", 10});
  static_assert(!broadcast(Dims<1>{"batch"}, Dims<1>{10}));
}
