// test: deep emulator
// Products of f32 on tensor cores, which round operands to 11 bits (TF32).

#include <doctest/doctest.h>
#include <sinter/codegen/cuda/product/product.hpp>
#include <sinter/codegen/cuda/tune/candidates.hpp>

#include <string>
#include <vector>

#include "cuda_emulated.hpp"
#include "cuda_product_kernels.hpp"
#include "nvrtc_check.hpp"
#include "texts.hpp"

using namespace kernels;
using codegen::Candidate;
using codegen::CudaOptions;

namespace {

using Shape = std::vector<std::int64_t>;  // batch, m, n, depth

const CudaOptions as_tf32_options{.tf32 = true, .tuning = {}};

ProductCase rounded(bool left_transposed = false, bool right_transposed = false) {
  return {.dtype = f32,
          .sum = f32,
          .left_transposed = left_transposed,
          .right_transposed = right_transposed,
          .tf32 = true};
}

/// The first error of the kernel emitted with `options`, emulated with each of `shapes`.
void check(const Kernel& kernel, const ProductCase& one, const std::vector<Shape>& shapes,
           const CudaOptions& options = as_tf32_options) {
  emulator::Emulator machine;
  emulator::use_device(0);
  const Source source = codegen::emit_cuda(kernel, options);
  CHECK(contains(source.text, "by tensor cores, as TF32"));
  const emulator::Program program(cuda_program({source}));
  const Call call = call_emulated(program, source, kernel, Outputs::unwritten, 4, options);
  for (const Shape& shape : shapes) {
    INFO(source.name, " ", text(shape));
    const Shape given = kernel.symbols.empty() ? Shape{} : shape;
    CHECK(wrong_element(one, shape, given, call) == "");
    REQUIRE(first_report(machine) == "");
  }
}

}  // namespace

TEST_CASE("tf32: tensor cores multiply f32 operands of any layout") {
  for (const bool left : {false, true}) {
    for (const bool right : {false, true}) {
      const ProductCase one = rounded(left, right);
      check(product_of("p", {1, 64, 64, 64}, KnownSizes::exactly, one), one, {{1, 64, 64, 64}});
      check(product_of("p", {1, 1, 1, 1}, KnownSizes::nothing, one), one,
            {{2, 17, 100, 33}, {1, 129, 64, 8}, {1, 9, 9, 9}, {1, 17, 20, 0}, {0, 17, 20, 32}});
    }
  }
}

TEST_CASE("tf32: prologue and epilogue are part of the kernel") {
  for (const bool transposed : {false, true}) {
    ProductCase one = rounded(transposed, !transposed);
    one.before = Before::scale, one.after = After::bias_gelu;
    check(product_of("p", {2, 40, 36, 40}, KnownSizes::exactly, one), one, {{2, 40, 36, 40}});
    one.after = After::residual;
    check(product_of("p", {1, 1, 1, 1}, KnownSizes::nothing, one), one, {{2, 18, 35, 41}});
  }
}

TEST_CASE("tf32: every tile computes the reference result") {
  const Shape shape{1, 70, 130, 40};
  for (const bool transposed : {false, true}) {
    const ProductCase one = rounded(transposed, transposed);
    const Kernel kernel = product_of("p", shape, KnownSizes::exactly, one);
    const Vector<Candidate> all = codegen::cuda_candidates(kernel, as_tf32_options);
    CHECK(all.size() == 4);
    for (const Candidate& tuned : all) {
      check(kernel, one, {shape}, {.tf32 = true, .tuning = tuned.tuning});
    }
  }
}

TEST_CASE("tf32: not used unless allowed, nor under strict, nor for few rows") {
  const ProductCase one{.dtype = f32, .sum = f32};
  const Kernel large = product_of("p", {1, 64, 64, 64}, KnownSizes::exactly, one);
  const Kernel few = product_of("p", {1, 4, 64, 64}, KnownSizes::exactly, one);
  const auto rounds = [](const Kernel& kernel, const CudaOptions& options) {
    const Source source = codegen::emit_cuda(kernel, options);
    return contains(cuda_program({source}), "tf32");
  };
  CHECK(rounds(large, as_tf32_options));
  CHECK_FALSE(rounds(large, {}));
  CHECK_FALSE(rounds(large, {.strict = true, .tf32 = true, .tuning = {}}));
  CHECK_FALSE(rounds(few, as_tf32_options));
  CHECK(codegen::emit_cuda(large, {}).key != codegen::emit_cuda(large, as_tf32_options).key);
}

TEST_CASE("tf32: the option does not change products of f64 and 16-bit numbers") {
  for (const DType dtype : {f64, bf16, f16, i32}) {
    const Kernel kernel =
        product_of("p", {1, 64, 64, 64}, KnownSizes::exactly, {.dtype = dtype, .sum = dtype});
    CHECK_FALSE(contains(cuda_program({codegen::emit_cuda(kernel, as_tf32_options)}), "tf32"));
  }
}

TEST_CASE("tf32: NVRTC compiles every tile for sm_80 and sm_90, without spills") {
  if (nvrtc() == nullptr) {
    MESSAGE("skipped: ", nvrtc_missing());
    return;
  }
  Vector<Source> sources;
  for (const bool transposed : {false, true}) {
    ProductCase one = rounded(transposed, !transposed);
    one.before = transposed ? Before::scale : Before::nothing, one.after = After::bias_gelu;
    const std::string name = transposed ? "tf32_left_turned_scaled" : "tf32_right_turned";
    const Kernel kernel = product_of(name, {1, 4096, 4096, 4096}, KnownSizes::exactly, one);
    sources.push_back(codegen::emit_cuda(kernel, as_tf32_options));
    for (Candidate& tuned : codegen::cuda_candidates(kernel, as_tf32_options)) {
      sources.push_back(std::move(tuned.source));
    }
  }
  check_no_spills(cuda_program(sources));
}
