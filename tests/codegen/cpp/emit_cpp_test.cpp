// test: cost=20
#include <doctest/doctest.h>
#include <sinter/codegen/cpp/emit_cpp.hpp>

#include "checked_kernels.hpp"

using namespace kernels;

// The others run in emit_cpp_widths_test.cpp, a deep test.
TEST_CASE("emit_cpp: every second kernel of dynamic sizes agrees with its definition") {
  const std::vector<Run> runs = symbolic_runs({.target = {.vectors = {.bits = 512}}});
  std::vector<Run> some;
  for (std::size_t i = 0; i < runs.size(); i += 2) some.push_back(runs[i]);
  check(some, with_edges);
}

TEST_CASE("emit_cpp: rows of odd sizes are stored completely by non-temporal stores") {
  std::vector<Run> runs;
  for (Run& run : symbolic_runs(
           {.target = {.vectors = {.bits = 512}}, .tuning = {.non_temporal_kilobytes = 1}})) {
    const bool leads = run.source.text.find("before_line(") != std::string::npos;
    const bool is_small = run.source.text.size() < 4000;
    if (leads && is_small) runs.push_back(std::move(run));
  }
  CHECK(runs.size() > 5);
  check(runs, usual);
}
