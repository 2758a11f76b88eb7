#include <doctest/doctest.h>
#include <sinter/schedule/analysis/cost.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("cost: a transcendental function costs many operations, arithmetic costs one") {
  for (const Op op : {Op::exp, Op::log, Op::tan, Op::erf, Op::pow}) {
    CHECK(schedule::operations_of(op) == schedule::operations_of_function);
  }
  for (const Op op : {Op::add, Op::mul, Op::max}) CHECK(schedule::operations_of(op) == 1);
}
