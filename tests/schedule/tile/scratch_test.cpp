#include <doctest/doctest.h>
#include <sinter/schedule/tile/scratch.hpp>
#include <sinter/schedule/tile/subkernels.hpp>

#include "causal_kernel.hpp"

using namespace sinter;
using namespace sinter::detail::schedule;
using causal::causal_kernel;

TEST_CASE("scratch: rows of one subkernel are private to it, others reuse memory that is free") {
  const Kernel kernel = causal_kernel();
  const Subkernels found = subkernels_of(kernel);
  std::size_t is_private = 0, moved = 0;
  for (std::size_t i = 0; i < found.arguments.size(); ++i) {
    is_private += found.is_private[i] ? 1 : 0;
    moved += found.storage[i] != static_cast<std::int32_t>(i) ? 1 : 0;
  }
  CHECK(is_private == 1);  // exp(score - maximum)
  CHECK(moved == 1);       // the weights, in the memory of the scores
}
