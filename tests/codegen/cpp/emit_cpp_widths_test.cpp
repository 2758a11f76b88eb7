// test: deep cost=120
#include <doctest/doctest.h>

#include "checked_kernels.hpp"

using namespace kernels;

TEST_CASE("emit_cpp: kernels of static sizes agree with their definition") {
  check(static_runs({.target = {.vectors = {.bits = 512}}}), usual);
}

TEST_CASE("emit_cpp: kernels of dynamic sizes agree with their definition, in all vectors") {
  std::vector<Run> runs;
  for (const int bits : {512, 256, 128, 0}) {
    for (Run& run : symbolic_runs({.target = {.vectors = {.bits = bits}}}))
      runs.push_back(std::move(run));
  }
  check(runs, with_edges);
}

TEST_CASE("emit_cpp: strict kernels round at every operation, in the order of the program") {
  std::vector<Run> runs;
  for (const int bits : {512, 0}) {
    for (Run& run : symbolic_runs({.target = {.vectors = {.bits = bits}}, .strict = true})) {
      runs.push_back(std::move(run));
    }
  }
  check(runs, with_edges);
}
