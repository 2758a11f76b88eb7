#include <doctest/doctest.h>
#include <sinter/schedule/tile/scratch.hpp>
#include <sinter/schedule/tile/subkernels.hpp>

#include "causal_kernel.hpp"

using namespace sinter;
using namespace sinter::detail::schedule;
using causal::causal_kernel;

TEST_CASE("block_places: rows of one part are local to it, others lie where one is over") {
  const Kernel kernel = causal_kernel();
  const BlockParts found = parts_of(kernel);
  std::size_t single = 0, moved = 0;
  for (std::size_t i = 0; i < found.arguments.size(); ++i) {
    single += found.single[i] ? 1 : 0;
    moved += found.homes[i] != static_cast<std::int32_t>(i) ? 1 : 0;
  }
  CHECK(single == 1);  // the powers
  CHECK(moved == 1);   // the weights, in the place of the scores
}
