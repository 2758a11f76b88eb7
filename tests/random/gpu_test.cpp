// test: deep emulator gpu cost=25
// The first programs of program_test.cpp once more, on a GPU: emulated, or real. What is not strict
// is streamed there, where it can be. SINTER_RANDOM_PROGRAMS and SINTER_RANDOM_SEED as there.

#include <doctest/doctest.h>

#include <set>
#include <utility>

#include "cuda_emulator/gpus.hpp"
#include "run.hpp"

using namespace random_program;

namespace {

// A sample: what is emulated runs a hundred times as long.
constexpr std::size_t batches = 4, batch = 60;
// One in some hundred programs streams; a new operation draws others. It goes on until one does.
constexpr std::size_t most_batches = 40;

std::vector<Program> next_programs(random_program::Source& source) {
  std::vector<Program> result;
  while (result.size() < batch) {
    result.push_back(source.next());
    result.back().on_gpu = true;
  }
  return result;
}

}  // namespace

TEST_CASE("random programs: kernels of a GPU compute what the interpreter computes") {
  const compiler::FreshCache cache;
  SINTER_GPUS(machine, 1);
  random_program::Source source(number_from("SINTER_RANDOM_SEED", 1));
  const std::size_t count = number_from("SINTER_RANDOM_PROGRAMS", batches * batch);
  std::size_t streams = 0;
  for (std::size_t i = 0; i * batch < count || (streams == 0 && i < most_batches); ++i) {
    std::vector<Planned> all;
    for (const Program& program : next_programs(source)) all.push_back(planned(program));
    compile_all(all);
    for (const Planned& one : all) {
      if (!mistake(one).empty()) FAIL_CHECK(description(one.program));
      INFO("seed ", one.program.seed);
      CHECK(first_report(machine) == "");
      for (const auto& kernel : one.plan.kernels) streams += schedule::is_row_tiled(kernel);
    }
  }
  CHECK(streams > 0);
}

TEST_CASE("random programs: those of a GPU have each operation, in each dtype, of the host's") {
  random_program::Source source(1);
  for (std::size_t i = 0; i < batches; ++i) next_programs(source);
  std::set<std::pair<Op, DType>> reached;
  for (const auto& [signature, count] : source.counts()) {
    if (count > 0) reached.emplace(std::get<0>(signature), std::get<1>(signature));
  }
  for (const auto& [op, dtype, rank] : allowed_signatures()) {
    INFO(text(op, " of ", dtype));
    CHECK(reached.count({op, dtype}) == 1);
  }
}
