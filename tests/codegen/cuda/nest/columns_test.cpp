// test: deep emulator
#include <doctest/doctest.h>
#include <sinter/codegen/cuda/nest/columns.hpp>

#include "cuda_emulated.hpp"
#include "nvrtc_check.hpp"
#include "planned.hpp"
#include "runner.hpp"
#include "texts.hpp"

using namespace kernels;

namespace {

Kernel column_sum(std::int64_t rows, std::int64_t columns, Op op = Op::sum, DType dtype = f32) {
  Sizes sizes({rows, columns}, false);
  return reduction(text(op, rows, "_", columns), sizes, op, dtype, VectorAxis::grid);
}

}  // namespace

TEST_CASE("cuda_columns: neighbouring threads have neighbouring columns, and share their rows") {
  const Kernel kernel = column_sum(4096, 1024);
  const std::string text = cuda_text(kernel);
  CHECK(contains(text, "for (int column = blockIdx.x * 2; column < tasks;"));
  CHECK(contains(text, "for (int first = threadIdx.x / 2; first < 4096; first += 1024)"));
  CHECK(contains(text, "const int k0 = first + step * 256;"));
  CHECK(count(text, "= load_f32x4(") == 1);
  CHECK(contains(text, "const float v1_3 = column_sum_f32<2>(a1_3, parts1_3);"));
  CHECK(in_order(text, "if (threadIdx.x < 2) {", "store_f32x4(out1 + i0, "));
  CHECK_FALSE(contains(text, "live"));
  CHECK(codegen::cuda_launch(kernel).threads == 512);
  CHECK(same(codegen::cuda_launch(kernel).blocks, 128));
}

TEST_CASE("cuda_columns: a thread prefetches several rows") {
  const std::string whole = cuda_text(column_sum(4096, 1024));
  CHECK(contains(whole, "f32x4 w0[4];"));
  CHECK(in_order(whole, "w0[step] = load_f32x4(", "const float v0_0 = w0[step].lane[0];"));
  CHECK_FALSE(contains(whole, "break;"));
  const std::string rest = cuda_text(column_sum(4097, 1024));
  CHECK(count(rest, "if (k0 >= 4097) break;") == 2);
}

TEST_CASE("cuda_columns: threads past the last column run the loop, but do not store") {
  const std::string text = cuda_text(column_sum(4096, 1001));
  CHECK(contains(text, "const int task = live ? column + threadIdx.x % 8 : tasks - 1;"));
  CHECK(contains(text, "if (live && threadIdx.x < 8) {"));
}

TEST_CASE("cuda_columns: columns are not shared if rows are few or sums are strict") {
  CHECK_FALSE(contains(cuda_text(column_sum(4, 1024)), "column_sum"));
  CHECK_FALSE(contains(cuda_text(column_sum(64, 1 << 22)), "column_sum"));
  const Kernel kernel = column_sum(4096, 1024);
  CHECK_FALSE(contains(codegen::emit_cuda(kernel, {.strict = true}).text, "column_sum"));
}

TEST_CASE("cuda_columns: every size and type computes the reference result") {
  Vector<Kernel> all;
  for (const std::int64_t columns : {1, 2, 3, 31, 33, 64, 77, 1000, 1025}) {
    const std::int64_t rows = columns < 100 ? 333 : 45;
    for (const Op op : {Op::sum, Op::max, Op::argmax}) all.push_back(column_sum(rows, columns, op));
    all.push_back(column_sum(rows, columns, Op::sum, f64));
    all.push_back(column_sum(rows, columns, Op::min, bf16));
    all.push_back(column_sum(rows, columns, Op::prod, i8));
    Sizes sizes({rows, columns}, false);
    all.push_back(max_and_position(text("both_", columns), sizes, VectorAxis::grid));
  }
  Sizes any({64, 64}, true), wide({64, 96}, false);
  const Kernel unknown = reduction("any", any, Op::sum, f32, VectorAxis::grid);
  all.push_back(columns_to_rows("turned", wide));
  all.push_back(unknown);
  check_emulated(all, 2e-5, {{1, 1}, {333, 3}, {33, 77}, {100, 64}, {0, 5}});
}

// Column sums of 16-bit elements, converted to f32 and back, and read by several stages.
TEST_CASE("cuda_columns: NVRTC compiles the gradients of norms of 16 bits without spills") {
  if (nvrtc() == nullptr) {
    MESSAGE("skipped: ", nvrtc_missing());
    return;
  }
  const auto centered = [](const Tensor& x) { return x - mean(x, 0, true); };
  const auto by_root = [&](const Tensor& x) {
    return centered(x) * rsqrt(mean(square(centered(x)), 0, true) + 1e-5f);
  };
  const auto of_squares = [&](const Tensor& x) {
    return centered(x) / sqrt(mean(square(x), 0, true) - square(mean(x, 0, true)) + 1e-5f);
  };
  Vector<Source> sources;
  const auto add = [&](DType dtype, const auto& norm) {
    const TensorType rows{dtype, {Extent::symbol(0, {.min = 0}), 40}}, weight{dtype, {1}};
    const schedule::Plan plan = planned({rows, rows, weight}, [&](const Tensors& in) -> Tensors {
      const auto loss = [&](const Tensor& x, const Tensor& w) {
        return sum((norm(x + in[1]) * w * w).to(f32));
      };
      const Tensor of_x = grad([&](const Tensor& x) { return loss(x, in[2]); })(in[0]);
      const Tensor of_w = grad([&](const Tensor& w) { return loss(in[0], w); })(in[2]);
      return {norm(in[0] + in[1]) * in[2], of_x, of_w, in[0] + in[1]};
    });
    for (const schedule::Kernel& kernel : plan.kernels) {
      if (contains(kernel.name, "_columns")) sources.push_back(codegen::emit_cuda(kernel, {}));
    }
  };
  for (const DType dtype : {bf16, f16}) {
    add(dtype, by_root);
    add(dtype, of_squares);
  }
  REQUIRE(sources.size() >= 4);
  check_no_spills(cuda_program(sources));
}
