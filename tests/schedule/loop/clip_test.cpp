#include <doctest/doctest.h>
#include <sinter/schedule/loop/clip.hpp>
#include <sinter/schedule/tile/subkernels.hpp>

#include "causal_kernel.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using causal::causal_kernel;

TEST_CASE("block_clip: loops end where a mask leaves nothing, unless somebody reads the rest") {
  const Kernel kernel = causal_kernel();
  const Clip clip = clip_of(kernel);
  REQUIRE(clip.found);
  CHECK(same(clip.end, kernel.grid.back().variable + 1));
  CHECK(clip.loops.front());
  CHECK(clip.contracted.back());
  CHECK_FALSE(clip.contracted.front());  // which goes over the width
  const BlockParts found = parts_of(kernel);
  CHECK_FALSE(same(found.end, -1));
  CHECK(same(found.extent, 64));
  for (const BlockPart& part : found.parts) verify(part.kernel);
  CHECK_FALSE(clip_of(causal_kernel(true)).loops.front());
}

TEST_CASE("block_clip: a step in which an index may be out of range is not left out") {
  const Clip clip = clip_of(causal_kernel(false, true));
  REQUIRE(clip.found);
  CHECK_FALSE(clip.loops.front());  // the scores, which check an index each
  CHECK(clip.contracted.back());
  CHECK(clip_of(causal_kernel(false, true), true).loops.front());  // if that is checked apart
}

TEST_CASE("block_clip: loops begin where a mask leaves something, for rows of later columns") {
  const Kernel kernel = causal_kernel(false, false, true);
  const Clip clip = clip_of(kernel);
  REQUIRE(clip.found);
  CHECK(clip.before);
  CHECK(same(clip.end, kernel.grid.back().variable));
  CHECK(clip.contracted.back());
  const BlockParts found = parts_of(kernel);
  CHECK(same(found.extent, 64));
  CHECK(same(found.last_end, 64));
  for (const BlockPart& part : found.parts) verify(part.kernel);
}
