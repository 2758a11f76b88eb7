// test: deep cost=40
#include <doctest/doctest.h>

#include "checked_kernels.hpp"

using namespace kernels;

TEST_CASE("emit_cpp: kernels of dynamic sizes agree with their definition, in narrower vectors") {
  std::vector<Run> runs;
  for (const int bits : {256, 128}) {
    for (Run& run : symbolic_runs({.vector_bits = bits})) runs.push_back(std::move(run));
  }
  check(runs, with_edges);
}
