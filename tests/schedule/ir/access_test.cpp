#include <doctest/doctest.h>
#include <sinter/graph/builder.hpp>
#include <sinter/schedule/ir/access.hpp>

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;

namespace {

const Extent s0 = Extent::symbol(0);

// The index into an input of `shape` of the element [r0, r1, ...] of the result of `move`.
template <class Move>
std::string index_after(const Shape& shape, const Move& move) {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, shape});
  const Value moved = move(build, x);
  const Position found = element(graph, moved, ranges_over(build.shape(moved)));
  return text(found.node == x.node ? "" : "elsewhere ", found.index);
}

}  // namespace

TEST_CASE("access: linear is the position in row-major memory") {
  CHECK(to_string(linear(ranges_over({4, 3, 2}), {4, 3, 2})) == "6*r0 + 2*r1 + r2");
  CHECK(to_string(linear(ranges_over({4, s0}), {4, s0})) == "s0*r0 + r1");
}

TEST_CASE("access: reshaped divides only where axes are split, also symbolic ones") {
  const schedule::Index split = reshaped(ranges_over({s0, 128}), {s0, 128}, {s0, 8, 16});
  CHECK(text(split) == "[r0, r1//16, r1%16]");
  const schedule::Index merged = reshaped(ranges_over({s0, 8, 16}), {s0, 8, 16}, {s0, 128});
  CHECK(text(merged) == "[r0, 16*r1 + r2]");
  CHECK(text(reshaped(ranges_over({4, 6}), {4, 6}, {4, 1, 6})) == "[r0, 0, r1]");
}

TEST_CASE("access: a reshape of an empty tensor does not divide by 0") {
  CHECK(text(reshaped(ranges_over({0, 3}), {0, 3}, {3, 0})).size() > 0);
  CHECK(text(reshaped(ranges_over({0, 3}), {0, 3}, {0, 5})).size() > 0);
}

TEST_CASE("access: source_index() maps an index through every movement operation") {
  const auto permute = [](Builder& b, Value x) { return b.permute(x, {2, 0, 1}); };
  CHECK(index_after({4, 3, 2}, permute) == "[r1, r2, r0]");
  const auto expand = [](Builder& b, Value x) { return b.expand(x, {4, 5}); };
  CHECK(index_after({1, 5}, expand) == "[0, r1]");
  const auto slice = [](Builder& b, Value x) { return b.slice(x, {1, 2}, {2, 1}, {3, 4}); };
  CHECK(index_after({8, 8}, slice) == "[2*r0 + 1, r1 + 2]");
  const auto flip = [](Builder& b, Value x) { return b.flip(x, {1}); };
  CHECK(index_after({4, s0}, flip) == "[r0, s0 - r1 - 1]");
  const auto several = [](Builder& b, Value x) {
    return b.permute(b.reshape(x, {2, 3, 4}), {2, 1, 0});
  };
  CHECK(index_after({6, 4}, several) == "[r1 + 3*r2, r0]");
}

TEST_CASE("access: inverse_index() inverts reshapes, permutes and flips") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {6, 4}});
  const Value moved = build.flip(build.permute(build.reshape(x, {2, 3, 4}), {2, 1, 0}), {0});
  const auto index = inverse_index(graph, moved, ranges_over({6, 4}));
  REQUIRE(index);
  CHECK(text(*index) == "[3 - r1, r0%3, r0//3]");
  CHECK(text(element(graph, moved, *index).index) == "[r0, r1]");
  CHECK_FALSE(inverse_index(graph, build.expand(build.reshape(x, {1, 24}), {2, 24}), {0, 0}));
}

TEST_CASE("access: guards keep a pad within its operand; guards that always hold are left out") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {4, 5}});
  const Value padded = build.pad(x, {1, 0}, {2, 0}, constant(0.0));
  const auto guards = guards_of(graph, graph[padded.node], ranges_over({7, 5}));
  REQUIRE(guards.size() == 1);
  CHECK(text(guards[0].low, " <= ", guards[0].value, " < ", guards[0].high) == "0 <= r0 - 1 < 4");
  CHECK(element(graph, padded, ranges_over({7, 5})).node == padded.node);
  CHECK(beneath(graph, padded) == x.node);
}
