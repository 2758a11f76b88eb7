// test: cost=20
#include <doctest/doctest.h>
#include <sinter/codegen/cpp/emit_cpp.hpp>

#include "checked_kernels.hpp"

using namespace kernels;

TEST_CASE("emit_cpp: kernels of dynamic sizes agree with their definition") {
  check(symbolic_runs({.target = {.vectors = {.bits = 512}}}), with_edges);
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
