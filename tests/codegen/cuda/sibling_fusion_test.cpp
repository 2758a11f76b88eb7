// test: deep
// Sibling fusion of partial column reductions with row reductions: the gradients of a norm.

#include <doctest/doctest.h>
#include <sinter/codegen/cuda/emit_cuda.hpp>
#include <sinter/schedule/rewrite/column_reductions.hpp>

#include <string>
#include <utility>
#include <vector>

#include "cuda_emulated.hpp"
#include "nvrtc_check.hpp"
#include "planned.hpp"

using namespace kernels;

namespace {

const Extent any_rows = Extent::symbol(0, {.min = 0});

schedule::Plan norm_gradients(Extent rows, std::int64_t columns, DType dtype) {
  const TensorType x{dtype, {rows, columns}}, gain{dtype, {columns}};
  return planned({x, gain, gain, x}, [](const Tensors& all) -> Tensors {
    const auto [value, pull] =
        vjp([](const Tensor& a, const Tensor& w, const Tensor& b) { return layer_norm(a, w, b); },
            all[0], all[1], all[2]);
    const auto [of_x, of_gain, of_bias] = pull(all[3]);
    return {value, of_x, of_gain, of_bias};
  });
}

// `sums` column sums of softmax(x), with several other rows that all its stages read.
schedule::Plan many_sums(Extent rows, std::int64_t columns, DType dtype, int sums, int others) {
  Vector<TensorType> types(static_cast<std::size_t>(1 + others), {dtype, {rows, columns}});
  return planned(types, [&](const Tensors& all) -> Tensors {
    Tensor x = all[0];
    for (std::size_t i = 1; i < all.size(); ++i) x = x * all[i];
    Tensor y = softmax(x, -1);
    for (std::size_t i = 1; i < all.size(); ++i) y = y + all[i];
    Tensors result{y};
    for (int i = 0; i < sums; ++i) result.push_back(sum(abs(y - 0.01f * static_cast<float>(i)), 0));
    return result;
  });
}

std::string first_text(const schedule::Plan& plan) {
  return codegen::emit_cuda(plan.kernels.front(), {}).text;
}

}  // namespace

TEST_CASE("sibling_fusion: partial column reductions are accumulated in shared memory") {
  const schedule::Plan plan = norm_gradients(16384, 4096, f32);
  REQUIRE(plan.kernels.size() == 2);
  REQUIRE(has(plan.kernels[0], schedule::Code::combine));
  const std::string text = first_text(plan);
  CHECK(count(text, "load_row_f32x4<1024>(x0, in0 + ") == 1);
  CHECK(in_order(text, "float* const c2 = (float*)(shared + 0);",
                 "for (int i = threadIdx.x; i < 4096; i += 256) c2[i] = 0x0p+0f;"));
  CHECK(in_order(text, "for (int i1 = 0; i1 < 32; ++i1) {", "] = c2[i];"));
  const codegen::CudaLaunch launch = codegen::cuda_launch(plan.kernels[0]);
  CHECK(same(launch.blocks, 512));
  CHECK(same(launch.shared_bytes, 2 * 4096 * 4));
}

TEST_CASE("sibling_fusion: column gradients of a norm between products are fused with its rows") {
  for (const DType dtype : {f32, bf16}) {
    const TensorType x{dtype, {8, 1024, 768}}, gain{dtype, {768}}, weight{dtype, {768, 768}};
    const schedule::Plan plan =
        planned({x, gain, gain, weight, x}, [](const Tensors& all) -> Tensors {
          const auto [value, pull] =
              vjp([](const Tensor& a, const Tensor& w, const Tensor& b,
                     const Tensor& m) { return a + linear(layer_norm(a, w, b), m); },
                  all[0], all[1], all[2], all[3]);
          const auto [of_x, of_gain, of_bias, of_weight] = pull(all[4]);
          return {of_x, of_gain, of_bias, of_weight};
        });
    int combining = 0, columns = 0;
    for (const schedule::Kernel& kernel : plan.kernels) {
      combining += has(kernel, schedule::Code::combine) ? 1 : 0;
      const bool large = kernel.arguments[0].elements.number() > 1024 * 768;
      columns += large && contains(kernel.name, "_columns") ? 1 : 0;
    }
    CHECK(combining == 1);
    CHECK(columns == 0);
  }
}

TEST_CASE("sibling_fusion: columns that exceed the shared memory of a block are not fused") {
  for (const auto& [columns, sums] : {std::pair{512, 14}, {8192, 3}, {8192, 4}, {4096, 7}}) {
    const schedule::Plan plan = many_sums(4096, columns, f32, sums, 0);
    bool combines = false;
    for (const schedule::Kernel& kernel : plan.kernels) {
      const Extent bytes = codegen::cuda_launch(kernel).shared_bytes;
      CHECK(bytes.number() <= schedule::gpu_target().most_partial_bytes);
      combines = combines || has(kernel, schedule::Code::combine);
    }
    CHECK(combines);
  }
}

TEST_CASE("sibling_fusion: NVRTC compiles fused kernels for sm_80 and sm_90, without spills") {
  if (nvrtc() == nullptr) {
    MESSAGE("skipped: ", nvrtc_missing());
    return;
  }
  Vector<Source> sources;
  const auto add = [&](const schedule::Plan& plan) {
    sources.push_back(codegen::emit_cuda(plan.kernels.front(), {}));
  };
  for (const DType dtype : {f32, f64, f16, bf16}) {
    for (const std::int64_t columns : {512, 768, 1001, 4096, 8192}) {
      add(norm_gradients(16384, columns, dtype));
      add(norm_gradients(any_rows, columns, dtype));
    }
    add(many_sums(4096, 1024, dtype, 6, 2));
  }
  check_no_spills(cuda_program(sources));
}
