// test: moved
#include <doctest/doctest.h>
#include <sinter/jit/lower/lower.hpp>

#include "jit/lowered_example.hpp"

using namespace testing;

TEST_CASE("lower: all backends compute the same, only the fused one has kernels") {
  for (const Backend backend : {Backend::eager, Backend::aot_eager, Backend::fused}) {
    const jit::LoweredProgram lowered = jit::lower(example(2), {.backend = backend});
    const std::vector<float> result = run(*lowered.program, {0, 1});
    CHECK(result[0] == doctest::Approx(2));
    CHECK(result[1] == doctest::Approx(3.7182818));
    CHECK((lowered.program->executable() != nullptr) == (backend == Backend::fused));
    CHECK(lowered.program->sources().size() == (backend == Backend::fused ? 1 : 0));
  }
}

TEST_CASE("lower: SINTER_LOGS=memory reports the memory of each plan, also with dynamic sizes") {
  const ScopedVariable logs("SINTER_LOGS", "memory");
  const std::string fixed = said([] { jit::lower(example(777), {}); });
  CHECK(contains(fixed,
                 "sinter[memory]: 0 bytes of intermediates, 3108 of inputs, 3108 of results; "));
  const std::string varying = said([] { jit::lower(example(Extent::symbol(0)), {}); });
  CHECK(contains(varying,
                 "sinter[memory]: 0 bytes of intermediates, 4*s0 of inputs, 4*s0 of results\n"));
}
