#include <doctest/doctest.h>
#include <sinter/jit/cuda/lower.hpp>
#include <sinter/jit/lower/program_cache.hpp>

#include "cuda_emulator/emulator.hpp"
#include "jit/lowered_example.hpp"

using namespace testing;

TEST_CASE("cuda: a GPU program has CUDA texts, and is cached per device") {
  const ScopedFreshCache fresh;
  const emulator::Emulator machine;
  const Graph graph = example(6, Where::current());
  const jit::LoweredProgram lowered = jit::lower(graph, {.device = cuda()});
  CHECK(lowered.program->device() == cuda());
  CHECK(lowered.program->executable() == nullptr);
  CHECK_FALSE(lowered.program->is_interpreted());
  REQUIRE(lowered.program->sources().size() == 1);
  CHECK(contains(lowered.program->sources()[0].text, "__global__"));
  CHECK(lowered.program->packed_inputs().size() == 1);  // on a GPU all inputs are listed
  CHECK(jit::known_program(graph, {.device = cuda()}) == lowered.program);
  CHECK(jit::known_program(graph, {}) == nullptr);
}
