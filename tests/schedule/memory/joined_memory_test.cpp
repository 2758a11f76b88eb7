// Buffers in the memory of others.
#include <doctest/doctest.h>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/schedule/memory/arena.hpp>
#include <sinter/schedule/memory/joined_memory.hpp>

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;

namespace {

// Buffers 0 to 2 are computed, joined in 4 by the second launch, and split to 5 and 6 by the last
// but one; 1 is read again by the last.
Plan plan_of(bool is_read_again) {
  Plan plan;
  for (const int count : {3, 20, 5}) plan.buffers.push_back({f32, count, Home::arena});
  plan.buffers.push_back({i64, 1, Home::arena});
  plan.buffers.push_back({f32, 64, Home::arena});
  plan.buffers.push_back({f32, 3, Home::arena});
  plan.buffers.push_back({f32, 20, Home::output, 0});
  plan.controls.push_back({.op = Op::custom, .inputs = 3, .results = 2, .joins = true});
  plan.controls.push_back({.op = Op::custom, .inputs = 2, .results = 2, .splits = true});
  plan.launches.push_back({.buffers = {0, 1, 2}});
  plan.launches.push_back({.kernel = -1, .buffers = {0, 1, 2, 3, 4}, .control = 0});
  plan.launches.push_back({.kernel = -1, .buffers = {3, 4, 5, 6}, .control = 1});
  plan.launches.push_back({.buffers = {5}});
  if (is_read_again) plan.launches.back().buffers.push_back(1);
  join_memory(plan);
  place_in_arena(plan, {});
  return plan;
}

}  // namespace

TEST_CASE("joined memory: inputs and results lie one after the other") {
  const Plan plan = plan_of(false);
  const Extent start = plan.buffers[4].offset;
  CHECK(same(plan.buffers[0].offset, start));
  CHECK(same(plan.buffers[1].offset, start + 64));
  CHECK(same(plan.buffers[2].offset, start + 192));
  CHECK(same(plan.buffers[5].offset, start));
  CHECK(plan.buffers[6].whole == -1);  // an output
  CHECK(same(plan.arena_bytes, Extent(256 + 64)));
}

TEST_CASE("joined memory: what is read later stays apart") {
  const Plan plan = plan_of(true);
  CHECK(plan.buffers[0].whole == 4);
  CHECK(plan.buffers[1].whole == -1);
  CHECK(plan.buffers[2].whole == 4);
  CHECK(same(plan.arena_bytes, Extent(256 + 64 + 128)));
}
