// test: cost=40
#include <doctest/doctest.h>
#include <sinter/codegen/cpp/emit_cpp.hpp>

#include "checked_kernels.hpp"

using namespace kernels;

TEST_CASE("emit_cpp: kernels of static sizes agree with their definition") {
  check(static_runs({.vector_bits = 512}), usual);
}

TEST_CASE("emit_cpp: kernels of dynamic sizes agree with their definition") {
  std::vector<Run> runs;
  for (const int bits : {512, 0}) {
    for (Run& run : symbolic_runs({.vector_bits = bits})) runs.push_back(std::move(run));
  }
  check(runs, with_edges);
}

TEST_CASE("emit_cpp: strict kernels round at every operation, in the order of the program") {
  std::vector<Run> runs = symbolic_runs({.vector_bits = 512, .strict = true});
  for (Run& run : symbolic_runs({.vector_bits = 0, .strict = true})) runs.push_back(std::move(run));
  check(runs, with_edges);
}

TEST_CASE("emit_cpp: rows of odd sizes are stored completely by non-temporal stores") {
  std::vector<Run> runs;
  for (Run& run : symbolic_runs({.vector_bits = 512, .tuning = {.non_temporal_kilobytes = 1}})) {
    const bool leads = run.source.text.find("before_line(") != std::string::npos;
    const bool is_small = run.source.text.size() < 4000;
    if (leads && is_small) runs.push_back(std::move(run));
  }
  CHECK(runs.size() > 8);
  check(runs, usual);
}
