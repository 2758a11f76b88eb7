#include <doctest/doctest.h>
#include <sinter/codegen/cuda_product.hpp>

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

/// Kernels, each with the shapes that it is run with.
struct Runs {
  struct Run {
    ProductCase of;
    Kernel kernel;
    std::vector<Shape> shapes;
    bool symbolic;
    Source source;
  };
  std::vector<Run> all{};

  /// A kernel for each of `shapes`, or one for all of them.
  void add(const ProductCase& one, const std::vector<Shape>& shapes, bool symbolic) {
    if (symbolic) return add_kernel(one, shapes, shapes[0], Known::nothing);
    for (const Shape& shape : shapes) add_kernel(one, {shape}, shape, Known::exactly);
  }

  void add_kernel(const ProductCase& one, const std::vector<Shape>& shapes, const Shape& sizes,
                  Known known) {
    const std::string name = text("p", all.size(), "_", to_string(one));
    const Kernel kernel = product_of(name, sizes, known, one);
    all.push_back({one, kernel, shapes, known != Known::exactly, codegen::emit_cuda(kernel, {})});
  }

  std::string program() const {
    std::vector<Source> sources;
    for (const Run& run : all) sources.push_back(run.source);
    return cuda_program(sources);
  }
};

Call call_of(const emulator::Program& program, const Runs::Run& run) {
  REQUIRE(codegen::cuda_product_form(run.kernel, false).has_value());
  return call_emulated(program, run.source, run.kernel);
}

/// Runs all, and compares them with plain loops.
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
      const std::vector<std::string> reports = machine.reports();
      REQUIRE((reports.empty() ? "" : reports[0]) == "");
    }
  }
}

CudaProduct product_in(const Kernel& kernel) {
  return CudaProduct(kernel, *codegen::cuda_product_form(kernel, false));
}

std::vector<ProductCase> turned(ProductCase one) {
  std::vector<ProductCase> result;
  for (const bool left : {false, true}) {
    for (const bool right : {false, true}) {
      one.left_turned = left, one.right_turned = right;
      result.push_back(one);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("cuda_product: tensor cores multiply 16-bit numbers however the operands lie") {
  Runs runs;
  for (const ProductCase& one : turned({.dtype = bf16, .sum = bf16})) {
    runs.add(one, {{1, 64, 64, 64}}, false);
    runs.add(one, {{2, 17, 100, 33}, {1, 129, 64, 8}, {1, 9, 9, 9}}, true);
  }
  runs.add({.dtype = f16, .sum = f16}, {{2, 32, 24, 40}}, false);
  runs.add({.dtype = f16, .sum = f32, .right_turned = true}, {{1, 17, 33, 129}}, false);
  runs.add({.dtype = bf16, .sum = f32, .left_turned = true}, {{1, 33, 16, 64}}, false);
  check(runs);
}

TEST_CASE("cuda_product: products that may be large take large tiles, small ones small tiles") {
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
      runs.add_kernel(one, {{1, 40, 50, 70}}, tile.limits, Known::limits);
      const codegen::CudaTile is = product_in(runs.all.back().kernel).tile();
      INFO(dtype, " ", text(tile.limits), " ", is.rows, " x ", is.columns);
      CHECK((is.rows == tile.rows && is.columns == tile.columns));
    }
    check(runs);
  }
}

TEST_CASE("cuda_product: other numbers are multiplied in registers") {
  Runs runs;
  for (const ProductCase& one : turned({.dtype = f32, .sum = f32})) {
    runs.add(one, {{1, 64, 64, 64}}, false);
    runs.add(one, {{2, 17, 100, 33}, {1, 129, 65, 9}}, true);
  }
  for (const DType dtype : {f64, i64, i32, i16, i8, u8}) {
    for (const bool right : {false, true}) {
      runs.add({.dtype = dtype, .sum = dtype, .right_turned = right}, {{1, 33, 40, 24}}, false);
    }
  }
  check(runs);
}

TEST_CASE("cuda_product: few rows read the other operand once") {
  Runs runs;
  for (const DType dtype : {bf16, f32, f64, i8}) {
    for (const bool right : {false, true}) {
      runs.add({.dtype = dtype, .sum = dtype, .right_turned = right}, {{1, 1, 64, 256}}, false);
      runs.add({.dtype = dtype, .sum = dtype, .right_turned = right}, {{2, 3, 33, 65}}, false);
    }
  }
  runs.add({.before = Before::scale, .after = After::bias_gelu}, {{1, 8, 17, 100}}, false);
  check(runs);
}

TEST_CASE("cuda_product: what comes before and after is part of the kernel") {
  Runs runs;
  for (const ProductCase& one : turned({.before = Before::scale, .after = After::bias_gelu})) {
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
