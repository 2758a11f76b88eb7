#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/schedule/ir/kernel.hpp>

#include "handwritten_kernels.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using handwritten_kernels::row_sum;
using handwritten_kernels::sine;

TEST_CASE("kernel: prints its arguments, loops and instructions") {
  CHECK(to_string(row_sum(8, 4)) ==
        "sum_f32_rows(read a0: f32[32], write a1: f32[8])\n"
        "  grid r0 < 8\n"
        "  loop r1 < 4\n"
        "    v0: f32 = a0[4*r0 + r1]\n"
        "    v1: f32 = reduce sum v0\n"
        "  a1[r0] = v1\n");
}

TEST_CASE("kernel: the hash ignores names and lines") {
  Kernel named = row_sum(8, 4);
  named.name = "other";
  named.instructions[0].where = Where::current();
  named.instructions[0].remark = {.name = "x"};
  CHECK(hash_of(named) == hash_of(row_sum(8, 4)));
  CHECK_FALSE(hash_of(row_sum(8, 5)) == hash_of(row_sum(8, 4)));

  Kernel vectorised = row_sum(8, 4), product = row_sum(8, 4);
  vectorised.vector_axis = VectorAxis::stage;
  product.instructions[1].op = Op::prod;
  CHECK_FALSE(hash_of(vectorised) == hash_of(row_sum(8, 4)));
  CHECK_FALSE(hash_of(product) == hash_of(row_sum(8, 4)));
}

TEST_CASE("kernel: each load that a value is computed from is asked about once") {
  Kernel kernel;
  kernel.instructions.push_back({.code = Code::load});
  for (ValueId id = 0; id < 40; ++id) {  // 2^40 ways to the load
    Instruction square{.code = Code::compute, .op = Op::mul};
    square.operands = {id, id};
    kernel.instructions.push_back(square);
  }
  int asked = 0;
  CHECK_FALSE(any_load(kernel, 40, [&](const Instruction&) { return ++asked, false; }));
  CHECK(asked == 1);
  CHECK(any_load(kernel, 40, [](const Instruction&) { return true; }));
}

TEST_CASE("kernel: unused arguments are dropped, the others are renumbered") {
  Kernel kernel = row_sum(8, 4);
  const std::string before = to_string(kernel);
  CHECK(used_arguments(kernel) == Vector<bool>{true, true});
  kernel.arguments.insert(kernel.arguments.begin() + 1, {f64, Access::local, 3});
  for (Instruction& one : kernel.instructions) {
    if (one.argument == 1) one.argument = 2;
  }
  kernel.instructions[0].source = 2;
  CHECK(used_arguments(kernel) == Vector<bool>{true, false, true});
  keep_arguments(kernel, {true, false, true});
  CHECK(kernel.instructions[0].source == 1);
  kernel.instructions[0].source = -1;
  CHECK(to_string(kernel) == before);
}

TEST_CASE("kernel: well formed kernels pass") {
  CHECK_NOTHROW(verify(sine(8, 4, 4, 1)));
  CHECK_NOTHROW(verify(row_sum(8, 4)));
  Kernel symbolic = row_sum(Extent::symbol(0), 4);
  CHECK_THROWS_AS(verify(symbolic), InternalError);  // it does not list its symbol
  symbolic.symbols = {Extent::symbol(0)};
  CHECK_NOTHROW(verify(symbolic));
}

TEST_CASE("kernel: after a loop, only the results of its reductions can be used") {
  Kernel kernel = row_sum(8, 4);
  kernel.instructions[2].operands = {0};
  CHECK_THROWS_AS(verify(kernel), InternalError);
}

TEST_CASE("kernel: mistakes are found") {
  const auto wrong = [](auto change) {
    Kernel kernel = sine(8, 4, 4, 1);
    change(kernel);
    CHECK_THROWS_AS(verify(kernel), InternalError);
  };
  wrong([](Kernel& k) { k.instructions[1].operands = {2}; });               // a later value
  wrong([](Kernel& k) { k.instructions[0].index = Extent::range(7, 4); });  // no such loop
  wrong([](Kernel& k) { k.instructions[0].argument = 2; });
  wrong([](Kernel& k) { k.instructions[2].argument = 0; });  // stores into what is read only
  wrong([](Kernel& k) { k.instructions[0].dtype = f64; });
  wrong([](Kernel& k) { k.stages[0].body = {0, 1}; });  // never stores
  wrong([](Kernel& k) { k.grid[0].extent = 9; });
  wrong([](Kernel& k) { k.instructions[1].code = Code::reduce; });  // no loop to reduce over
  wrong([](Kernel& k) { k.arguments.push_back({f32, Access::read, 1}); });
}
