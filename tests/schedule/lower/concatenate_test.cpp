#include <doctest/doctest.h>
#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/lower/concatenate.hpp>
#include <sinter/schedule/plan.hpp>

#include "against_interpreter.hpp"
#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using against_interpreter::check;
using against_interpreter::Symbols;
using programs::Program;

namespace {

using Options = schedule::Options;

const Extent s0 = Extent::symbol(0, {.min = 0, .max = 64});
const Extent s1 = Extent::symbol(1, {.min = 0, .max = 64});

Value product(Program& p, Value x, Value y) {
  return p.build.dot_general(x, y, {.lhs_contract = {1}, .rhs_contract = {0}});
}

Value cat(Program& p, Vector<Value> parts, int axis) { return p.build.concatenate(parts, axis); }

// The host plan, after comparing plans with all options with the interpreter.
schedule::Plan planned(Program& p, Vector<Value> outputs, const Symbols& symbols = {}) {
  p.graph.outputs = std::move(outputs);
  const Options host{.row_tiles = true, .target = schedule::host_target()};
  for (const Options& options : {Options{}, Options{.strict = true}, host}) {
    check(p.graph, symbols, 1, options);
  }
  return schedule::plan(p.graph, host);
}

std::int64_t bytes_of(const schedule::Plan& plan) {
  Extent result = 0;
  for (const schedule::Launch& launch : plan.launches) {
    result += launch.bytes_read + launch.bytes_written;
  }
  return result.number();
}

std::size_t kernels_of(const schedule::Plan& plan) {
  std::size_t result = 0;
  for (const schedule::Launch& launch : plan.launches) {
    result += std::max<std::size_t>(1, launch.entries.size());
  }
  return result;
}

}  // namespace

TEST_CASE("concatenate: rows of two functions are stored into their halves") {
  Program p;
  const Value x = p.input({8, 6}), y = p.input({8, 5}), g = p.input({6}), b = p.input({6});
  const auto plan = planned(p, {cat(p, {p.layer_norm(x, g, b), p.softmax(y)}, 1)});
  CHECK(kernels_of(plan) == 2);
  CHECK(bytes_of(plan) == 4 * (2 * 8 * 11 + 6 + 6));
  CHECK(same(plan.arena_bytes, 0));
}

TEST_CASE("concatenate: products of one shape write the whole stack") {
  Program p;
  const Value x = p.input({8, 6}), u = p.input({6, 5}), v = p.input({6, 5});
  const auto one = [&](Value w) { return p.build.reshape(product(p, x, w), {1, 8, 5}); };
  const auto plan = planned(p, {cat(p, {one(u), one(v)}, 0)});
  CHECK(kernels_of(plan) == 2);
  CHECK(same(plan.arena_bytes, 0));
}

TEST_CASE("concatenate: of three products side by side only the result is in memory") {
  Program p;
  const Value x = p.input({s0, 6}), q = p.input({6, 4}), k = p.input({6, 3}), v = p.input({6, 5});
  const Value all = cat(p, {product(p, x, q), product(p, x, k), product(p, x, v)}, 1);
  for (const std::int64_t rows : {0, 1, 7}) {
    const auto plan = planned(p, {all}, {rows});
    CHECK(kernels_of(plan) == 3);
    CHECK(same(plan.arena_bytes, 0));
  }
}

TEST_CASE("concatenate: when a value is appended to an input, only the input is copied") {
  Program p;
  const Value past = p.input({2, s0, 4}), x = p.input({s1, 6}), w = p.input({6, 8});
  const Value heads = p.build.reshape(product(p, x, w), {s1, 2, 4});
  const Value now = p.build.permute(heads, {1, 0, 2});
  const Value sum = p.build.add(now, now);
  const auto plan = planned(p, {cat(p, {past, sum}, 1)}, {5, 3});
  CHECK(kernels_of(plan) == 2);
  CHECK(same(plan.arena_bytes, 0));
}

TEST_CASE("concatenate: an operand with other readers, or an output, is stored twice") {
  Program p;
  const Value x = p.input({8, 6}), y = p.input({8, 5}), w = p.input({5, 3});
  const Value soft = p.softmax(y);
  const auto plan = planned(p, {cat(p, {x, soft}, 1), soft, product(p, soft, w)});
  CHECK(kernels_of(plan) <= 3);
  CHECK(bytes_of(plan) <= 4 * (2 * 8 * 6 + 8 * 5 + 3 * 8 * 5 + 15 + 24));
}

TEST_CASE("concatenate: repeated operands, and concatenations of concatenations") {
  Program p;
  const Value x = p.input({8, 6}), y = p.input({8, 5});
  const Value soft = p.softmax(y), other = p.softmax(x);
  const Value inner = cat(p, {soft, other, soft}, 1);
  const auto plan = planned(p, {cat(p, {inner, other}, 1)});
  CHECK(kernels_of(plan) == 2);
  CHECK(same(plan.arena_bytes, 0));
}

TEST_CASE("concatenate: operands that would not stay contiguous are copied") {
  Program p;
  const Value x = p.input({8, 6}), y = p.input({8, 6});
  const auto last = [&](Value z) { return p.build.reshape(p.softmax(z), {8, 6, 1}); };
  const auto plan = planned(p, {cat(p, {last(x), last(y)}, 2)});
  CHECK(kernels_of(plan) == 3);
}
