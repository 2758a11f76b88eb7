// test: moved
#include <doctest/doctest.h>
#include <sinter/jit/lower/program.hpp>

#include "jit/lowered_example.hpp"

using namespace testing;

TEST_CASE("program: one program serves every size of a symbol") {
  const jit::LoweredProgram lowered = jit::lower(example(Extent::symbol(0, {})), {});
  for (const std::size_t size : {0u, 1u, 2u, 17u, 1000u}) {
    const std::vector<float> result =
        run(*lowered.program, std::vector<float>(size), {static_cast<std::int64_t>(size)});
    for (const float value : result) CHECK(value == doctest::Approx(2));
  }
}

TEST_CASE("program: the interpreted program writes outputs that are their inputs") {
  const jit::LoweredProgram lowered = jit::lower(example(2), {.backend = Backend::eager});
  std::vector<float> x{0, 0};
  void* const memory[] = {x.data()};
  lowered.program->run(memory, memory, {});
  CHECK(x[1] == doctest::Approx(2));
}
