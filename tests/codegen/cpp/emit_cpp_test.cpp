// test: cost=40
#include <doctest/doctest.h>
#include <sinter/codegen/cpp/emit_cpp.hpp>

#include "runner.hpp"

using namespace kernels;

namespace {

struct Run {
  Kernel kernel;
  Vector<std::vector<std::int64_t>> sizes;
  double tolerance;
  Source source;
};

double tolerance_of(const Case& one, const codegen::CppOptions& options) {
  return options.strict && one.exact ? 0 : one.tolerance;
}

Run symbolic_run(const Case& one, const codegen::CppOptions& options) {
  Sizes symbols(one.sizes[0], true);
  const Kernel kernel = one.build(one.name, symbols);
  return {kernel, one.sizes, tolerance_of(one, options), codegen::emit_cpp(kernel, options)};
}

// One text for all sizes.
std::vector<Run> symbolic_runs(const codegen::CppOptions& options) {
  const bool all = options.vector_bits == 512 || options.vector_bits == 0;
  std::vector<Run> runs;
  for (const Case& one : all_cases()) {
    if (all || one.sizes.size() > 1) runs.push_back(symbolic_run(one, options));
  }
  return runs;
}

// One text per size, for kernels with several texts.
std::vector<Run> static_runs(const codegen::CppOptions& options) {
  std::vector<Run> runs;
  for (const Case& one : all_cases()) {
    if (one.sizes.size() == 1) continue;
    for (const std::vector<std::int64_t>& numbers : one.sizes) {
      std::string name = one.name;
      for (const std::int64_t number : numbers) name += text("_", number);
      Sizes sizes(numbers, false);
      const Kernel kernel = one.build(name, sizes);
      runs.push_back(
          {kernel, {{}}, tolerance_of(one, options), codegen::emit_cpp(kernel, options)});
    }
  }
  return runs;
}

void check(const std::vector<Run>& runs, const std::vector<Trial>& trials) {
  Vector<Source> sources;
  for (const Run& run : runs) sources.push_back(run.source);
  std::string all = codegen::cpp_prelude(sources);
  for (const Source& source : sources) all += source.text;
  const HostLibrary library(all);
  for (const Run& run : runs) {
    for (const std::vector<std::int64_t>& sizes : run.sizes) {
      for (Trial trial : trials) {
        trial.tolerance = run.tolerance;
        INFO(run.source.name, " ", text(sizes), ", threads: ", trial.threads,
             ", edges: ", trial.edges);
        CHECK(difference(run.kernel, library.function(run.source.name), sizes, trial) == "");
      }
    }
  }
}

const std::vector<Trial> usual{{.threads = 1}, {.threads = 2}};
const std::vector<Trial> with_edges{{.threads = 1}, {.edges = true}, {.edges = true, .threads = 3}};

}  // namespace

TEST_CASE("emit_cpp: kernels of static sizes agree with their definition") {
  check(static_runs({.vector_bits = 512}), usual);
}

TEST_CASE(
    "emit_cpp: kernels of dynamic sizes agree with their definition, in vectors of any width") {
  std::vector<Run> runs;
  for (const int bits : {512, 256, 128, 0}) {
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
