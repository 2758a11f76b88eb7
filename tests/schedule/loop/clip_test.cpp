#include <doctest/doctest.h>
#include <sinter/schedule/loop/clip.hpp>
#include <sinter/schedule/tile/subkernels.hpp>

#include "causal_kernel.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using causal::causal_kernel;

TEST_CASE("clip: loops end where a mask leaves no effect, unless another stage reads the rest") {
  const Kernel kernel = causal_kernel();
  const Clip clip = clip_of(kernel);
  REQUIRE(clip.found);
  CHECK(same(clip.end, kernel.grid.back().variable + 1));
  CHECK(clip.loops.front());
  CHECK(clip.contracted.back());
  CHECK_FALSE(clip.contracted.front());  // it iterates over the width
  const Subkernels found = subkernels_of(kernel);
  CHECK_FALSE(same(found.end, -1));
  CHECK(same(found.extent, 64));
  for (const Subkernel& part : found.kernels) verify(part.kernel);
  CHECK_FALSE(clip_of(causal_kernel(true)).loops.front());
}

TEST_CASE("clip: a step that checks an index is not clipped") {
  const Clip clip = clip_of(causal_kernel(false, true));
  REQUIRE(clip.found);
  CHECK_FALSE(clip.loops.front());  // the scores check indices
  CHECK(clip.contracted.back());
  CHECK(clip_of(causal_kernel(false, true), true).loops.front());  // with checks in other loops
}

TEST_CASE("clip: loops start where a mask leaves an effect, for the opposite triangle") {
  const Kernel kernel = causal_kernel(false, false, true);
  const Clip clip = clip_of(kernel);
  REQUIRE(clip.found);
  CHECK(clip.before);
  CHECK(same(clip.end, kernel.grid.back().variable));
  CHECK(clip.contracted.back());
  const Subkernels found = subkernels_of(kernel);
  CHECK(same(found.extent, 64));
  CHECK(same(found.last_end, 64));
  for (const Subkernel& part : found.kernels) verify(part.kernel);
}
