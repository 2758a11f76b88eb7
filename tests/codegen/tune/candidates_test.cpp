// test: deep cost=20
#include <doctest/doctest.h>
#include <sinter/codegen/tune/candidates.hpp>

#include <set>

#include "runner.hpp"

using namespace kernels;

namespace {

struct Run {
  Case one;
  Kernel kernel;
  Source source;
  std::string tuning;
};

// The versions of a kernel, the default first.
std::vector<Run> runs_of(const Case& one, const codegen::CppOptions& options) {
  Sizes symbols(one.sizes[0], true);
  const Kernel kernel = one.build(one.name, symbols);
  std::vector<Run> runs{{one, kernel, codegen::emit_cpp(kernel, options), "default"}};
  for (const codegen::Candidate& candidate : codegen::candidates(kernel, options)) {
    runs.push_back({one, kernel, candidate.source, to_string(candidate.tuning)});
  }
  return runs;
}

// A few of each kind: points, rows, columns, transposes, products, gathers, scatters, scans.
std::vector<Case> some_cases() {
  const std::set<std::string> names{
      "sin_sin",         "bias_relu_bf16", "transposed",      "softmax",     "softmax_columns",
      "columns_to_rows", "sum_rows_f32",   "sum_rows_f64",    "max_rows_i8", "argmax_rows_f32",
      "sum_columns_f16", "full_mean",      "cumsum_rows_f32", "product",     "product_rows",
      "product_f64",     "gather_rows",    "scatter",         "padded",      "dropout"};
  std::vector<Case> result;
  for (Case& one : all_cases()) {
    if (names.count(one.name) != 0) result.push_back(std::move(one));
  }
  REQUIRE(result.size() == names.size());
  return result;
}

HostLibrary library_of(const std::vector<Run>& runs) {
  Vector<Source> sources;
  for (const Run& run : runs) sources.push_back(run.source);
  std::string all = codegen::cpp_prelude(sources);
  for (const Source& source : sources) all += source.text;
  return HostLibrary(all);
}

void check(const codegen::CppOptions& options) {
  std::vector<Run> runs;
  for (const Case& one : some_cases()) {
    for (Run& run : runs_of(one, options)) runs.push_back(std::move(run));
  }
  const HostLibrary library = library_of(runs);
  for (const Run& run : runs) {
    const double tolerance = options.strict && run.one.exact ? 0 : run.one.tolerance;
    for (const std::vector<std::int64_t>& sizes : run.one.sizes) {
      INFO(run.source.name, " ", run.tuning, " ", text(sizes));
      const Trial trial{.tolerance = tolerance, .threads = 2};
      CHECK(difference(run.kernel, library.function(run.source.name), sizes, trial) == "");
    }
  }
}

}  // namespace

TEST_CASE("candidates: each computes the reference result, for all sizes") {
  check({.target = {.vectors = {.bits = 512}}});
}

TEST_CASE("candidates: strict candidates keep rounding and the order of sums") {
  check({.target = {.vectors = {.bits = 512}}, .strict = true});
}

TEST_CASE("candidates: texts are distinct, and differ from the default") {
  for (const Case& one : some_cases()) {
    std::set<std::string> bodies, names;
    const std::vector<Run> runs = runs_of(one, {.target = {.vectors = {.bits = 512}}});
    for (const Run& run : runs) {
      std::string body = run.source.text;
      if (run.tuning != "default") {
        CHECK(body.find(text("// tuned: ", run.tuning, "\n")) == 0);
        body = body.substr(body.find('\n') + 1);
      }
      for (std::size_t at = 0; (at = body.find(run.source.name, at)) != std::string::npos;) {
        body.replace(at, run.source.name.size(), "f");
      }
      bodies.insert(body);
      names.insert(run.source.name);
    }
    INFO(one.name);
    CHECK(bodies.size() == runs.size());
    CHECK(names.size() == runs.size());
  }
}

TEST_CASE("candidates: scalar and serial kernels have none") {
  Case one = some_cases()[0];
  Sizes sizes({64}, false);
  Kernel kernel = one.build("k", sizes);
  CHECK(codegen::candidates(kernel, {.target = {.vectors = {.bits = 0}}}).empty());
  kernel.serial = true;
  CHECK(codegen::candidates(kernel, {.target = {.vectors = {.bits = 512}}}).empty());
}
