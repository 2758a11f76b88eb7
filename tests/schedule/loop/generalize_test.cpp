#include <doctest/doctest.h>
#include <sinter/schedule/loop/generalize.hpp>
#include <sinter/schedule/loop/nest.hpp>

#include "handwritten_kernels.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;

namespace {

// As assemble() prepares it.
Kernel ready(Kernel kernel, bool merges = true) {
  if (merges) fuse_loops(kernel);
  rename_variables(kernel);
  return kernel;
}

// y = sin(x) over `count` elements.
Kernel sine_of(Extent count) {
  using namespace handwritten_kernels;
  const Extent r0 = Extent::range(0, count);
  Kernel kernel{.name = "sin_f32"};
  kernel.arguments = {{f32, Access::read, count}, {f32, Access::write, count}};
  if (r0.is_range()) kernel.grid = {{r0, count}};
  kernel.stages = {{{}, {0, 1, 2}}};
  kernel.instructions = {load(0, r0), compute(Op::sin, {0}), store(1, r0, 1)};
  return ready(kernel);
}

}  // namespace

TEST_CASE("generalize: kernels over other numbers of elements share a text") {
  const auto a = generalize(sine_of(24)), b = generalize(sine_of(7)), none = generalize(sine_of(0));
  REQUIRE(a);
  REQUIRE(b);
  REQUIRE(none);
  CHECK(hash_of(a->kernel) == hash_of(b->kernel));
  CHECK(hash_of(a->kernel) == hash_of(none->kernel));
  CHECK(text(a->sizes) == "[24]");
  CHECK(text(none->sizes) == "[0]");
  CHECK(a->is_free);
  verify(a->kernel);
}

TEST_CASE("generalize: a symbol becomes the extent of the loop that it is part of") {
  const Extent s0 = Extent::symbol(0);
  const auto general = generalize(sine_of(s0 * 4));
  REQUIRE(general);
  CHECK(text(general->sizes) == "[4*s0]");
  CHECK(hash_of(general->kernel) == hash_of(generalize(sine_of(24))->kernel));
}

TEST_CASE("generalize: a row kernel has sizes for the number and the length of its rows") {
  const auto a = generalize(ready(handwritten_kernels::row_sum(6, 8)));
  const auto b = generalize(ready(handwritten_kernels::row_sum(8, 8)));
  REQUIRE(a);
  REQUIRE(b);
  CHECK(text(a->sizes) == "[6, 8]");
  CHECK(hash_of(a->kernel) == hash_of(b->kernel));
  verify(a->kernel);
}

TEST_CASE("generalize: kernels with other strides differ") {
  const auto a = generalize(ready(handwritten_kernels::sine(6, 8, 8, 1), false));
  const auto b = generalize(ready(handwritten_kernels::sine(6, 8, 1, 6), false));
  REQUIRE(a);
  REQUIRE(b);
  CHECK(hash_of(a->kernel) != hash_of(b->kernel));
}

TEST_CASE("generalize: at_one_point() is the kernel of one element") {
  const auto general = generalize(sine_of(24));
  REQUIRE(general);
  const Kernel one = at_one_point(general->kernel);
  CHECK(one.grid.empty());
  CHECK(hash_of(one) == hash_of(sine_of(1)));
}

TEST_CASE("generalize: serial kernels and kernels without loops stay as they are") {
  Kernel kernel = sine_of(24);
  kernel.serial = true;
  CHECK_FALSE(generalize(kernel));
  CHECK_FALSE(generalize(sine_of(1)));
}

TEST_CASE("generalize: sizes have a 32-bit bound on request, unless there are too many elements") {
  const auto bounded = generalize(sine_of(24), true), other = generalize(sine_of(7), true);
  const auto many = generalize(sine_of(std::int64_t{1} << 33), true);
  REQUIRE((bounded && other && many));
  CHECK(bounded->kernel.symbols[0].symbol_info().max < 1 << 30);
  CHECK(hash_of(bounded->kernel) == hash_of(other->kernel));
  CHECK(hash_of(many->kernel) == hash_of(generalize(sine_of(24))->kernel));
}
