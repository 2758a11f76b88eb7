// test: deep emulator
#include <doctest/doctest.h>
#include <sinter/codegen/cuda/tune/candidates.hpp>

#include <set>

#include "cuda_emulated.hpp"
#include "cuda_product_kernels.hpp"
#include "nvrtc_check.hpp"
#include "runner.hpp"
#include "texts.hpp"

using namespace kernels;
using codegen::Candidate;
using codegen::CudaOptions;
using codegen::Tuning;

namespace {

std::vector<std::string> tunings_of(const Kernel& kernel, const CudaOptions& options = {}) {
  std::vector<std::string> result;
  for (const Candidate& one : codegen::cuda_candidates(kernel, options)) {
    result.push_back(to_string(one.tuning));
  }
  return result;
}

Kernel product(std::int64_t rows, std::int64_t columns, std::int64_t depth, DType dtype,
               bool right_transposed = false) {
  return product_of("product", {1, rows, columns, depth}, KnownSizes::exactly,
                    {.dtype = dtype, .sum = dtype, .right_transposed = right_transposed});
}

Kernel softmax_of(std::int64_t rows, std::int64_t length) {
  Sizes sizes({rows, length}, false);
  return softmax("softmax", sizes, f32);
}

// Runs a kernel and its candidates, and compares each with plain loops.
template <class Wrong>
void check(const Kernel& kernel, const Wrong& wrong) {
  emulator::Emulator machine;
  emulator::use_device(0);
  Vector<Candidate> all = codegen::cuda_candidates(kernel, {});
  REQUIRE_FALSE(all.empty());
  all.push_back({{}, codegen::emit_cuda(kernel, {})});
  Vector<Source> sources;
  for (const Candidate& one : all) sources.push_back(one.source);
  const emulator::Program program(cuda_program(sources));
  for (const Candidate& one : all) {
    INFO(to_string(one.tuning));
    const CudaOptions options{.strict = false, .tuning = one.tuning};
    CHECK(wrong(call_emulated(program, one.source, kernel, Outputs::unwritten, 4, options)) == "");
    const std::vector<std::string> reports = machine.reports();
    REQUIRE((reports.empty() ? "" : reports[0]) == "");
  }
}

}  // namespace

TEST_CASE("cuda_candidates: a product tries all tiles except the default and oversized ones") {
  const std::vector<std::string> large = tunings_of(product(4096, 4096, 512, bf16));
  CHECK(large ==
        std::vector<std::string>{"tile_rows 64, tile_columns 128", "tile_rows 64, tile_columns 64",
                                 "tile_rows 32, tile_columns 64", "tile_rows 16, tile_columns 64"});
  CHECK(tunings_of(product(24, 64, 512, bf16)) ==
        std::vector<std::string>{"tile_rows 32, tile_columns 64"});
  for (const std::string& one : tunings_of(product(512, 512, 512, f64))) {
    CHECK(one.find("128") == std::string::npos);  // sums of 8 bytes
  }
}

TEST_CASE("cuda_candidates: few rows try more and fewer columns per block, and tiles") {
  const auto few = tunings_of(product(2, 512, 512, bf16, true));
  const std::set<std::string> all(few.begin(), few.end());
  CHECK(all.count("tile_columns 16") + all.count("tile_columns 8") > 0);
  CHECK(all.count("tile_rows 16, tile_columns 64") == 1);
}

TEST_CASE("cuda_candidates: rows try other numbers of threads") {
  const auto found = tunings_of(softmax_of(64, 512));
  const std::set<std::string> all(found.begin(), found.end());
  CHECK(all.count("row_threads 32") == 1);
  CHECK(all.count("row_threads 128") == 1);
  CHECK(all.count("row_threads 64") == 0);  // the default
  CHECK(all.count("row_threads 1") == 0);   // its registers hold no row
  CHECK(tunings_of(softmax_of(64, 512), {.strict = true, .tuning = {}}).empty());  // in order
}

TEST_CASE("cuda_candidates: all compute the reference result") {
  for (const DType dtype : {bf16, f32}) {
    for (const bool turned : {false, true}) {
      for (const std::int64_t rows : {2, 35}) {
        const ProductCase one{.dtype = dtype, .sum = dtype, .right_transposed = turned};
        const std::vector<std::int64_t> shape{1, rows, 68, 40};
        INFO(to_string(one), " ", rows);
        const Kernel kernel = product_of("product", shape, KnownSizes::exactly, one);
        check(kernel, [&](const Call& call) { return wrong_element(one, shape, {}, call); });
      }
    }
  }
  for (const std::int64_t length : {6, 300}) {
    INFO(length);
    const Kernel kernel = softmax_of(3, length);
    check(kernel,
          [&](const Call& call) { return difference(kernel, call, {}, {.tolerance = 1e-5}); });
  }
}

TEST_CASE("cuda_candidates: NVRTC compiles each candidate without spills") {
  if (nvrtc() == nullptr) {
    MESSAGE("skipped: ", nvrtc_missing());
    return;
  }
  Vector<Source> sources;
  for (const Kernel& kernel : {product(512, 512, 512, bf16), product(512, 512, 512, f32),
                               product(2, 512, 512, bf16, true), softmax_of(64, 512)}) {
    for (Candidate& one : codegen::cuda_candidates(kernel, {})) {
      sources.push_back(std::move(one.source));
    }
  }
  check_no_spills(cuda_program(sources));
}
