// test: deep emulator cost=25
#include <doctest/doctest.h>
#include <sinter/codegen/cuda/product/product.hpp>

#include "cuda_emulated.hpp"
#include "cuda_product_kernels.hpp"
#include "nvrtc_check.hpp"
#include "runner.hpp"
#include "texts.hpp"

using namespace kernels;
using codegen::CudaMethod;
using codegen::CudaProduct;

namespace {

using Shape = std::vector<std::int64_t>;  // batch, m, n, depth

/// Kernels and the shapes that each is run with.
struct Runs {
  struct Run {
    ProductCase of;
    Kernel kernel;
    std::vector<Shape> shapes;
    bool symbolic;
    Source source;
  };
  std::vector<Run> all{};

  /// Adds a kernel for each of `shapes`, or one for all of them.
  void add(const ProductCase& one, const std::vector<Shape>& shapes, bool symbolic) {
    if (symbolic) return add_kernel(one, shapes, shapes[0], KnownSizes::nothing);
    for (const Shape& shape : shapes) add_kernel(one, {shape}, shape, KnownSizes::exactly);
  }

  void add_kernel(const ProductCase& one, const std::vector<Shape>& shapes, const Shape& sizes,
                  KnownSizes known) {
    const std::string name = text("p", all.size(), "_", to_string(one));
    const Kernel kernel = product_of(name, sizes, known, one);
    all.push_back(
        {one, kernel, shapes, known != KnownSizes::exactly, codegen::emit_cuda(kernel, {})});
  }

  std::string program() const {
    Vector<Source> sources;
    for (const Run& run : all) sources.push_back(run.source);
    return cuda_program(sources);
  }
};

Call call_of(const emulator::Program& program, const Runs::Run& run) {
  REQUIRE(codegen::cuda_product_form(run.kernel, {}).has_value());
  return call_emulated(program, run.source, run.kernel);
}

/// Runs all kernels, and compares them with plain loops.
void check(const Runs& runs) {
  emulator::Emulator machine;
  emulator::use_device(0);
  const emulator::Program program(runs.program());
  for (const Runs::Run& run : runs.all) {
    const Call call = call_of(program, run);
    for (const Shape& shape : run.shapes) {
      INFO(run.source.name, " ", text(shape));
      const Shape given = run.symbolic ? shape : Shape{};
      CHECK(wrong_element(run.of, shape, given, call) == "");
      REQUIRE(first_report(machine) == "");
    }
  }
}

CudaProduct product_in(const Kernel& kernel) {
  return CudaProduct(kernel, *codegen::cuda_product_form(kernel, {}));
}

std::vector<ProductCase> all_layouts(ProductCase one) {
  std::vector<ProductCase> result;
  for (const bool left : {false, true}) {
    for (const bool right : {false, true}) {
      one.left_transposed = left, one.right_transposed = right;
      result.push_back(one);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("cuda_product: tensor cores multiply 16-bit operands of any layout") {
  Runs runs;
  for (const ProductCase& one : all_layouts({.dtype = bf16, .sum = bf16})) {
    runs.add(one, {{1, 64, 64, 64}}, false);
    runs.add(one, {{2, 17, 100, 33}, {1, 129, 64, 8}, {1, 9, 9, 9}}, true);
  }
  runs.add({.dtype = f16, .sum = f16}, {{2, 32, 24, 40}}, false);
  runs.add({.dtype = f16, .sum = f32, .right_transposed = true}, {{1, 17, 33, 129}}, false);
  runs.add({.dtype = bf16, .sum = f32, .left_transposed = true}, {{1, 33, 16, 64}}, false);
  check(runs);
}

TEST_CASE("cuda_product: products of large or unknown size get large tiles, small ones small") {
  struct Expected {
    Shape limits;
    int rows, columns;
  };
  const std::vector<Expected> tiles{{{1, 4096, 4096, 512}, 128, 128},
                                    {{1, 704, 1536, 512}, 64, 128},
                                    {{1, 704, 768, 512}, 64, 64},
                                    {{1, 352, 768, 512}, 32, 64},
                                    {{1, 64, 64, 512}, 16, 64}};
  for (const DType dtype : {bf16, f32}) {
    Runs runs;
    for (const Expected& tile : tiles) {
      if (dtype == f32 && tile.rows == 16) continue;
      const ProductCase one{.dtype = dtype, .sum = dtype, .after = After::residual};
      runs.add_kernel(one, {{1, 40, 50, 70}}, tile.limits, KnownSizes::limits);
      const codegen::CudaTile is = product_in(runs.all.back().kernel).tile();
      INFO(dtype, " ", text(tile.limits), " ", is.rows, " x ", is.columns);
      CHECK((is.rows == tile.rows && is.columns == tile.columns));
    }
    check(runs);
  }
}

TEST_CASE("cuda_product: other types are multiplied on CUDA cores") {
  Runs runs;
  for (const ProductCase& one : all_layouts({.dtype = f32, .sum = f32})) {
    runs.add(one, {{1, 64, 64, 64}}, false);
    runs.add(one, {{2, 17, 100, 33}, {1, 129, 65, 9}}, true);
  }
  for (const DType dtype : {f64, i64, i32, i16, i8, u8}) {
    for (const bool right : {false, true}) {
      runs.add({.dtype = dtype, .sum = dtype, .right_transposed = right}, {{1, 33, 40, 24}}, false);
    }
  }
  check(runs);
}

TEST_CASE("cuda_product: few rows read the other operand once") {
  Runs runs;
  for (const DType dtype : {bf16, f32, f64, i8}) {
    for (const bool right : {false, true}) {
      runs.add({.dtype = dtype, .sum = dtype, .right_transposed = right}, {{1, 1, 64, 256}}, false);
      runs.add({.dtype = dtype, .sum = dtype, .right_transposed = right}, {{2, 3, 33, 65}}, false);
    }
  }
  runs.add({.before = Before::scale, .after = After::bias_gelu}, {{1, 8, 17, 100}}, false);
  check(runs);
}

TEST_CASE("cuda_product: prologue and epilogue are part of the kernel") {
  Runs runs;
  for (const ProductCase& one : all_layouts({.before = Before::scale, .after = After::bias_gelu})) {
    runs.add(one, {{1, 40, 36, 40}}, false);
    runs.add(one, {{2, 17, 35, 33}}, true);
  }
  for (const DType dtype : {f32, bf16}) {
    runs.add({.dtype = dtype, .sum = dtype, .after = After::residual}, {{2, 18, 36, 40}}, false);
    runs.add({.dtype = dtype, .sum = dtype, .before = Before::scale, .after = After::residual},
             {{1, 18, 35, 40}}, true);
  }
  check(runs);
}

TEST_CASE("cuda_product: depth 0, and empty outputs") {
  Runs runs;
  for (const DType dtype : {bf16, f32}) {
    runs.add({.dtype = dtype, .sum = dtype, .after = After::residual},
             {{1, 17, 20, 0}, {1, 0, 20, 32}, {1, 17, 0, 32}, {0, 17, 20, 32}, {1, 9, 4, 100}},
             true);
  }
  check(runs);
}

TEST_CASE("cuda_product: one kernel serves all dynamic numbers of few rows") {
  Runs runs;
  for (const bool right : {false, true}) {
    const ProductCase one{.right_transposed = right, .after = After::residual};
    const std::vector<Shape> shapes{{1, 1, 1, 1}, {2, 8, 129, 64}, {1, 3, 100, 17}, {1, 0, 3, 4}};
    runs.add_kernel(one, shapes, {4, 8, 4096, 4096}, KnownSizes::limits);
    CHECK(product_in(runs.all.back().kernel).method() ==
          (right ? CudaMethod::dots : CudaMethod::columns));
  }
  check(runs);
}

namespace {

// A 1-D convolution with padding, and a bias gathered from a table.
Kernel convolution(std::int64_t images, std::int64_t length, std::int64_t inner, std::int64_t outer,
                   DType dtype) {
  KernelBuilder b("convolution", VectorAxis::grid);
  const auto x = b.argument(dtype, Access::read, images * inner * length);
  const auto w = b.argument(dtype, Access::read, outer * inner * 3);
  const auto table = b.argument(f32, Access::read, 20), at = b.argument(i64, Access::read, outer);
  const auto y = b.argument(dtype, Access::write, images * length * outer);
  const Extent image = b.grid(images), t = b.grid(length), channel = b.grid(outer);
  b.stage();
  const Extent from = b.loop(inner), s = b.loop(3);
  const ValueId lhs =
      b.load(x, (image * inner + from) * length + t + s - 1, {{t + s - 1, 0, length}});
  const ValueId rhs = b.load(w, (channel * inner + from) * 3 + s);
  const ValueId sum = b.reduce(Op::sum, dtype, b.compute(Op::mul, dtype, {lhs, rhs}));
  b.stage();
  const Extent bias = b.bind(b.load(at, channel), 20, channel);
  const ValueId v = b.compute(Op::add, f32, {b.compute(Op::cast, f32, {sum}), b.load(table, bias)});
  b.store(y, (image * length + t) * outer + channel, b.compute(Op::cast, dtype, {v}));
  return b.kernel;
}

}  // namespace

TEST_CASE("cuda_product: fused loops, guarded operands, and faults in the epilogue") {
  for (const DType dtype : {bf16, f32}) {
    const Kernel kernel = convolution(3, 7, 5, 12, dtype);
    REQUIRE(codegen::cuda_product_form(kernel, {}).has_value());
    emulator::Emulator machine;
    emulator::use_device(0);
    const Source source = codegen::emit_cuda(kernel, {});
    const emulator::Program program(cuda_program({source}));
    const Call call = call_emulated(program, source, kernel);
    for (const std::int64_t integers : {9, 30}) {  // beyond the table
      const Trial trial{.tolerance = dtype == bf16 ? 3e-2 : 2e-5, .integers = integers};
      CHECK(difference(kernel, call, {}, trial) == "");
    }
  }
}

TEST_CASE("cuda_product: strict and short sums are not tiled") {
  const Kernel whole =
      product_of("p", {1, 64, 64, 64}, KnownSizes::exactly, {.dtype = f32, .sum = f32});
  const Kernel flat =
      product_of("p", {1, 64, 64, 7}, KnownSizes::exactly, {.dtype = f32, .sum = f32});
  const Kernel numbers =
      product_of("p", {1, 64, 64, 64}, KnownSizes::exactly, {.dtype = i8, .sum = i8});
  CHECK(codegen::cuda_product_form(whole, {}).has_value());
  CHECK_FALSE(codegen::cuda_product_form(whole, {.strict = true}).has_value());
  CHECK_FALSE(codegen::cuda_product_form(flat, {}).has_value());
  CHECK(codegen::cuda_product_form(numbers, {.strict = true}).has_value());
  CHECK(codegen::cuda_launch(whole, {.strict = true}).threads == 128);
  CHECK(codegen::cuda_launch(whole, {}).threads == 256);
}

TEST_CASE("cuda_product: four pipeline stages of operands in shared memory") {
  const auto bytes = [](const Shape& shape, const ProductCase& one) {
    return to_string(
        product_in(product_of("p", shape, KnownSizes::exactly, one)).launch().shared_bytes);
  };
  const Shape large{1, 4096, 4096, 4096};
  CHECK(bytes(large, {.right_transposed = true}) == "81920");  // 4 * 2 * 128 * (2 * 32 + 16)
  CHECK(bytes(large, {}) == "75776");  // 4 * (128 * (2 * 32 + 16) + 32 * (2 * 128 + 16))
  CHECK(bytes({1, 2, 4096, 4096}, {.right_transposed = true}) ==
        "192");  // sums of 2 x 16: 2 * 24 * 4
  const ProductCase scaled{.right_transposed = true, .before = Before::scale};
  CHECK(bytes(large, scaled) == bytes(large, {.right_transposed = true}));
}

TEST_CASE("cuda_product: inputs are copied asynchronously, computed operands are not") {
  const Kernel plain = product_of("p", {1, 64, 64, 64}, KnownSizes::exactly, {});
  const Kernel scaled =
      product_of("p", {1, 64, 64, 64}, KnownSizes::exactly, {.before = Before::scale});
  CHECK(
      contains(cuda_text(plain), "left[buffer].copy<Sums::threads, int>(in0 + tile.row * 64 + k"));
  CHECK(contains(cuda_text(plain), "right[buffer].copy<Sums::threads, int>(in1 + k * 64 + tile."));
  CHECK(contains(cuda_text(scaled), "left[buffer].fill<Sums::threads, 4, int>("));
  CHECK(contains(cuda_text(scaled), "load_f32x4(in2 + k)"));
  CHECK(contains(cuda_text(scaled), "store_u16x4("));
}

TEST_CASE("cuda_product: NVRTC compiles products for sm_80 and sm_90, without spills") {
  if (nvrtc() == nullptr) {
    MESSAGE("skipped: ", nvrtc_missing());
    return;
  }
  Runs runs;
  for (const Shape& shape : {Shape{1, 4096, 4096, 4096}, Shape{1, 8, 4096, 4096}}) {
    for (const DType dtype : {bf16, f32}) {
      const After after = dtype == f32 ? After::residual : After::bias_gelu;
      const bool transposed = dtype == bf16;
      runs.add({.dtype = dtype, .sum = dtype, .right_transposed = transposed, .after = after},
               {shape}, false);
    }
  }
  runs.add({.dtype = f64, .sum = f64, .left_transposed = true}, {{1, 64, 64, 64}}, true);
  runs.add({.before = Before::scale, .after = After::residual}, {{1, 64, 64, 64}}, true);
  check_no_spills(runs.program());
}
