#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/schedule/ir/kernel_list.hpp>

#include "handwritten_kernels.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using handwritten_kernels::row_sum;

namespace {

Kernel rows(Extent count) {
  Kernel result = row_sum(count, 4);
  result.symbols = {count};
  return result;
}

}  // namespace

TEST_CASE("kernel_list: equal kernels are listed once") {
  KernelList list;
  Kernel named = row_sum(8, 4);
  named.name = "other";
  CHECK(list.add(row_sum(8, 4)) == 0);
  CHECK(list.add(row_sum(8, 5)) == 1);
  CHECK(list.add(named) == 0);
  CHECK(list.kernels.size() == 2);
  CHECK(list.kernels[0].name == row_sum(8, 4).name);
}

TEST_CASE("kernel_list: SINTER_VERIFY rejects equal kernels with different symbols") {
  const Kernel first = rows(Extent::symbol(0)), other = rows(Extent::symbol(1));
  REQUIRE(hash_of(first) == hash_of(other));
  KernelList list;
  CHECK(list.add(first) == 0);
  CHECK(list.add(first) == 0);
  CHECK_THROWS_AS(list.add(other), InternalError);
}
