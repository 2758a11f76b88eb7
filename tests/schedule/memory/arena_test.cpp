#include <doctest/doctest.h>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/schedule/memory/arena.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

#include <random>

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;

namespace {

const Extent s0 = Extent::symbol(0), s1 = Extent::symbol(1);

// A plan of launches with these buffers and no kernels.
Plan plan_of(std::vector<Extent> elements, Vector<Vector<std::int32_t>> launches) {
  Plan plan;
  for (const Extent count : elements) plan.buffers.push_back({f32, count, Home::arena});
  for (auto& buffers : launches) plan.launches.push_back({.buffers = std::move(buffers)});
  place_in_arena(plan, {});
  return plan;
}

struct Place {
  std::int64_t first, last, start, end;
};

Place place_of(const Plan& plan, std::int32_t id, std::span<const std::int64_t> symbols) {
  const Buffer& buffer = plan.buffers[static_cast<std::size_t>(id)];
  const std::int64_t start = evaluate(buffer.offset, symbols);
  Place place{-1, -1, start, start + 4 * evaluate(buffer.elements, symbols)};
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    for (const std::int32_t used : plan.launches[i].buffers) {
      if (used != id) continue;
      if (place.first < 0) place.first = static_cast<std::int64_t>(i);
      place.last = static_cast<std::int64_t>(i);
    }
  }
  return place;
}

// Checks that buffers that are live in the same launch do not overlap, start at multiples of 64
// bytes, and are inside of the arena.
void check_apart(const Plan& plan, std::span<const std::int64_t> symbols) {
  std::vector<Place> places;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    places.push_back(place_of(plan, static_cast<std::int32_t>(i), symbols));
  }
  for (const Place& a : places) {
    if (a.first < 0) continue;
    CHECK(a.start % 64 == 0);
    CHECK(a.end <= evaluate(plan.arena_bytes, symbols));
    for (const Place& b : places) {
      const bool alive = b.first >= 0 && a.first <= b.last && b.first <= a.last;
      if (&a != &b && alive) CHECK((a.end <= b.start || b.end <= a.start));
    }
  }
}

}  // namespace

TEST_CASE("arena: buffers that are never live together share memory") {
  const Plan plan = plan_of({100, 100, 100}, {{0}, {0, 1}, {1, 2}});
  CHECK(same(plan.buffers[0].offset, plan.buffers[2].offset));
  CHECK(to_string(plan.arena_bytes) == "896");
}

TEST_CASE("arena: a large buffer that begins late reuses the memory of smaller ones") {
  const Plan plan = plan_of({160, 80, 240}, {{0, 1}, {1, 2}});
  CHECK(to_string(plan.arena_bytes) == "1280");  // as much as the second launch needs
}

TEST_CASE("arena: symbolic buffers of one size share a slot, after all constant sizes") {
  const Plan plan = plan_of({s0, 16, s0, s0}, {{0, 1}, {0, 2}, {2, 3}});
  CHECK(same(plan.buffers[0].offset, plan.buffers[3].offset));
  CHECK(to_string(plan.buffers[0].offset) == "64");
  const std::int64_t symbols[]{5};
  CHECK(evaluate(plan.arena_bytes, symbols) == 64 + 2 * 64);
}

TEST_CASE("arena: buffers that are live together do not overlap, on random plans") {
  std::mt19937 engine(1);
  const auto below = [&](std::size_t count) { return static_cast<std::size_t>(engine() % count); };
  for (int round = 0; round < 60; ++round) {
    const std::size_t buffers = 1 + below(30), launches = 1 + below(30);
    const bool symbolic = round % 2 == 1;
    std::vector<Extent> elements;
    Vector<Vector<std::int32_t>> used(launches);
    for (std::size_t i = 0; i < buffers; ++i) {
      const Extent choices[]{s0, s1, s0 * 3, s0 + s1, Extent(engine() % 300)};
      elements.push_back(choices[symbolic ? below(5) : 4]);
      for (std::size_t uses = below(4); uses > 0; --uses) {
        used[below(launches)].push_back(static_cast<std::int32_t>(i));
      }
    }
    const Plan plan = plan_of(elements, used);
    for (const std::int64_t size : {0, 1, 17, 64}) {
      const std::int64_t symbols[]{size, 40};
      check_apart(plan, symbols);
    }
  }
}
