#pragma once
// The kernels of all cases as C++, compared with their definition.

#include <doctest/doctest.h>
#include <sinter/codegen/cpp/emit_cpp.hpp>

#include "runner.hpp"

namespace kernels {

struct Run {
  Kernel kernel;
  Vector<std::vector<std::int64_t>> sizes;
  double tolerance;
  Source source;
};

inline double tolerance_of(const Case& one, const codegen::CppOptions& options) {
  return options.strict && one.exact ? 0 : one.tolerance;
}

inline Run symbolic_run(const Case& one, const codegen::CppOptions& options) {
  Sizes symbols(one.sizes[0], true);
  const Kernel kernel = one.build(one.name, symbols);
  return {kernel, one.sizes, tolerance_of(one, options), codegen::emit_cpp(kernel, options)};
}

// One text for all sizes.
inline std::vector<Run> symbolic_runs(const codegen::CppOptions& options) {
  const bool all = options.target.vectors.bits == 512 || options.target.vectors.bits == 0;
  std::vector<Run> runs;
  for (const Case& one : all_cases()) {
    if (all || one.sizes.size() > 1) runs.push_back(symbolic_run(one, options));
  }
  return runs;
}

// One text per size, for kernels with several texts.
inline std::vector<Run> static_runs(const codegen::CppOptions& options) {
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

inline void check(const std::vector<Run>& runs, const std::vector<Trial>& trials) {
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

inline const std::vector<Trial> usual{{.threads = 1}, {.threads = 2}};
inline const std::vector<Trial> with_edges{
    {.threads = 1}, {.edges = true}, {.edges = true, .threads = 3}};

}  // namespace kernels
