// The indices that movement operations make of loop ranges, as a person would write them.

#include <doctest/doctest.h>
#include <sinter/symbol/extent/extent.hpp>
#include <sinter/symbol/shape.hpp>
#include <sinter/symbol/solve/evaluate.hpp>
#include <sinter/symbol/solve/simplify.hpp>
#include <sinter/symbol/solve/variables.hpp>

#include <vector>

using namespace sinter;
using namespace sinter::detail;

namespace {

const Extent n = Extent::symbol(0, {.min = 1});
const Extent m = Extent::symbol(1, {.min = 1});

Extent range(std::uint32_t id, Extent extent) { return Extent::range(id, extent); }

Extent flat(const std::vector<Extent>& index, const Shape& shape) {
  const Shape strides = row_major_strides(shape);
  Extent result = 0;
  for (int axis = 0; axis < shape.size(); ++axis) {
    result += index[static_cast<std::size_t>(axis)] * strides[axis];
  }
  return result;
}

// The index of each axis of `shape`, from the position among all elements.
std::vector<Extent> unflat(Extent position, const Shape& shape) {
  const Shape strides = row_major_strides(shape);
  std::vector<Extent> result;
  for (int axis = 0; axis < shape.size(); ++axis) {
    result.push_back(position / strides[axis] % shape[axis]);
  }
  return result;
}

std::vector<Extent> reshape(const std::vector<Extent>& index, const Shape& to, const Shape& from) {
  return unflat(flat(index, to), from);
}

}  // namespace

TEST_CASE("index: a reshape and its inverse are nothing") {
  const Shape shape{n, 6, m};
  const std::vector<Extent> index{range(0, n), range(1, 6), range(2, m)};
  const Shape merged{6 * n * m};
  const auto there = reshape(index, shape, merged);
  CHECK(same(there[0], flat(index, shape)));
  const auto back = reshape(there, merged, shape);
  for (std::size_t axis = 0; axis < 3; ++axis) CHECK(same(back[axis], index[axis]));
}

TEST_CASE("index: merged ranges read contiguous memory at the range") {
  const Extent r = range(0, 32);
  CHECK(to_string(flat(unflat(r, {4, 8}), {4, 8})) == "r0");
  const Extent rnm = range(0, n * m);
  CHECK(to_string(flat(unflat(rnm, {n, m}), {n, m})) == "r0");
  CHECK(to_string(flat(unflat(range(0, 24 * n), {n, 2, 3, 4}), {n, 2, 3, 4})) == "r0");
}

TEST_CASE("index: a reshape of a transpose divides") {
  const auto index = unflat(range(0, 32), {8, 4});
  CHECK(to_string(flat({index[1], index[0]}, {4, 8})) == "r0//4 + 8*(r0%4)");
  const auto symbolic = unflat(range(0, n * m), {m, n});
  CHECK(to_string(flat({symbolic[1], symbolic[0]}, {n, m})) == "s1*(r0%s0) + r0//s0");
}

TEST_CASE("index: heads are split and moved without divisions") {
  const Shape split{n, m, 12, 64};
  const std::vector<Extent> index{range(0, n), range(1, 12), range(2, m), range(3, 64)};
  const auto before = reshape({index[0], index[2], index[1], index[3]}, split, {n, m, 768});
  CHECK(to_string(before[2]) == "64*r1 + r3");
  CHECK(to_string(flat(before, {n, m, 768})) == "768*s1*r0 + 64*r1 + 768*r2 + r3");
}

TEST_CASE("index: a split of a flipped axis is two flips") {
  const auto index = unflat(15 - (4 * range(0, 4) + range(1, 4)), {4, 4});
  CHECK(to_string(index[0]) == "3 - r0");
  CHECK(to_string(index[1]) == "3 - r1");
  const auto symbolic = unflat(4 * n - 1 - (4 * range(0, n) + range(1, 4)), {n, 4});
  CHECK(to_string(symbolic[0]) == "s0 - r0 - 1");
  CHECK(to_string(symbolic[1]) == "3 - r1");
}

TEST_CASE("index: under the guard of a pad the inner index is affine") {
  const Extent r = range(0, (n + 4) * 8);
  const Extent row = r / 8 - 2;
  CHECK(to_string(row) == "r0//8 - 2");
  const Vector<Within> guard{{0, row, n}};
  CHECK(to_string(simplify_under(row % n, guard)) == "r0//8 - 2");
  CHECK(to_string(simplify_under(flat({row % n, r % 8}, {n, 8}), guard)) == "r0 - 16");
}

TEST_CASE("index: a concatenation reads each part at its own index") {
  const Extent r = range(0, n + m);
  const Vector<Within> second{{n, r, n + m}};
  CHECK(to_string(simplify_under((r - n) % m, second)) == "r0 - s0");
  CHECK(to_string(simplify_under(max(r - n, 0), second)) == "r0 - s0");
}

TEST_CASE("index: tiles, repeats, strides and windows") {
  const Extent r = range(0, 3 * n);
  CHECK(to_string(r % n) == "r0%s0");
  CHECK(to_string(substitute(r % n, r, n * range(1, 3) + range(2, n))) == "r2");
  CHECK(to_string(range(0, 16) / 2) == "r0//2");
  CHECK(to_string(substitute(r / 3, r, 3 * range(1, n) + range(2, 3))) == "r1");
  CHECK(to_string(2 * range(0, n) + range(1, 3)) == "2*r0 + r1");
}

TEST_CASE("index: pixel shuffle and space to depth are affine in their own ranges") {
  const Extent height = 2 * range(0, 8) + range(1, 2);
  const auto index = unflat(height, {8, 2});
  CHECK(same(index[0], range(0, 8)));
  CHECK(same(index[1], range(1, 2)));
}

TEST_CASE("index: a range split into tiles and a tail simplifies to the range") {
  const Extent r = range(0, n);
  CHECK(same(16 * (r / 16) + r % 16, r));
  const Extent tile = range(1, ceil_div(n, 16));
  const Extent lane = range(2, 16);
  CHECK(same(substitute(r / 16, r, 16 * tile + lane), tile));
  CHECK(proven(Within{0, r / 16, ceil_div(n, 16)}));
}
