// test: moved
#include <doctest/doctest.h>
#include <sinter/jit/lower/program_cache.hpp>

#include "jit/lowered_example.hpp"

using namespace testing;

TEST_CASE(
    "program_cache: equal programs are shared; different options or lines give different "
    "programs") {
  const ScopedFreshCache fresh;
  const Where line = Where::current();
  const jit::LoweredProgram first = jit::lower(example(4, line), {});
  CHECK(first.work.kernels_compiled == 1);
  const jit::LoweredProgram second = jit::lower(example(4, line), {});
  CHECK(second.program == first.program);
  CHECK(second.work.compiler_runs == 0);
  const jit::LoweredProgram strict = jit::lower(example(4, line), {.numerics = Numerics::strict});
  CHECK(strict.program != first.program);
  const jit::LoweredProgram moved = jit::lower(example(4), {});
  CHECK(moved.program != first.program);  // faults would name other lines
  CHECK(moved.work.kernels_compiled == 0);
}

TEST_CASE("program_cache: evicted programs are recreated from cached kernels") {
  const Where line = Where::current();
  const jit::LoweredProgram first = jit::lower(example(5, line), {});
  jit::forget_programs();
  const jit::LoweredProgram second = jit::lower(example(5, line), {});
  CHECK(second.program != first.program);
  CHECK(second.work.compiler_runs == 0);
  CHECK(run(*first.program, {0, 0, 0, 0, 0}) == run(*second.program, {0, 0, 0, 0, 0}));
}
