// test: deep emulator gpu cost=45
#include <doctest/doctest.h>
#include <sinter/codegen/cuda/emit_cuda.hpp>

#include "cuda_emulated.hpp"
#include "nvrtc_check.hpp"
#include "runner.hpp"

using namespace kernels;

namespace {

struct Run {
  Case of;
  Kernel kernel;
  Vector<std::vector<std::int64_t>> sizes;
  Source source;
};

Run run_of(const Case& one, bool symbolic, const codegen::CudaOptions& options) {
  Sizes sizes(one.sizes.back(), symbolic);
  const Kernel kernel = one.build(one.name + (symbolic ? "" : "_static"), sizes);
  return {one, kernel, symbolic ? one.sizes : Vector<std::vector<std::int64_t>>{{}},
          codegen::emit_cuda(kernel, options)};
}

std::vector<Run> runs_of(bool symbolic, const codegen::CudaOptions& options) {
  std::vector<Run> runs;
  for (const Case& one : all_cases()) runs.push_back(run_of(one, symbolic, options));
  return runs;
}

std::string prelude_of(const std::vector<Run>& runs) {
  Vector<Source> sources;
  for (const Run& run : runs) sources.push_back(run.source);
  return codegen::cuda_prelude(sources);
}

std::string texts_of(const std::vector<Run>& runs) {
  std::string all;
  for (const Run& run : runs) all += run.source.text;
  return all;
}

}  // namespace

TEST_CASE("emit_cuda: kernels compute the reference result, and touch only their own memory") {
  for (const bool symbolic : {true, false}) {
    SINTER_GPUS(machine, 1);
    emulator::use_device(0);
    const std::vector<Run> runs = runs_of(symbolic, {});
    Vector<Source> sources;
    for (const Run& run : runs) sources.push_back(run.source);
    const emulator::Program program(cuda_program(sources));
    for (const Run& run : runs) {
      const Call call = call_emulated(program, run.source, run.kernel);
      for (std::size_t i = run.sizes.size() - 1; i < run.sizes.size(); i -= 2) {
        const std::vector<std::int64_t>& sizes = run.sizes[i];
        INFO(run.source.name, " ", text(sizes));
        const Trial trial{.tolerance = run.of.tolerance, .edges = i / 2 % 2 == 1};
        CHECK(difference(run.kernel, call, sizes, trial) == "");
        REQUIRE(first_report(machine) == "");
      }
    }
  }
}

TEST_CASE("emit_cuda: NVRTC compiles every kernel for sm_80 and sm_90, without spills" *
          doctest::test_suite("host")) {
  if (nvrtc() == nullptr) {
    MESSAGE("skipped: ", nvrtc_missing());
    return;
  }
  for (const bool symbolic : {false, true}) {
    const std::vector<Run> runs = runs_of(symbolic, {.strict = symbolic});
    bool succeeded = false;
    const std::string log =
        nvrtc_log(prelude_of(runs) + texts_of(runs), symbolic ? "sm_90" : "sm_80", succeeded);
    INFO((succeeded ? "" : log.substr(0, 4000)));
    REQUIRE(succeeded);
    CHECK(spills(log) == "");
  }
}
