// test: deep
// Streaming kernels whose accumulators take most registers of a thread: gradients of keys and
// values with heads of 128 and long score functions; and outputs with heads of 64, where a warp has
// two fragments of rows.

#include <doctest/doctest.h>
#include <sinter/codegen/cuda/attention/streaming.hpp>

#include <cmath>
#include <string>
#include <vector>

#include "nvrtc_check.hpp"
#include "planned.hpp"

using namespace kernels;

namespace {

constexpr std::int64_t batch = 2, heads = 8, length = 512;

AttentionOptions options_of(const std::string& form, const Tensors& more) {
  AttentionOptions options;
  options.score = [=](const Tensor& s, const Tensor& b, const Tensor& h, const Tensor& i,
                      const Tensor& j) -> Tensor {
    const Tensor row = more[0][{b, i}], column = more[0][{b, j}];
    if (form == "documents") return where(row == column, s, -HUGE_VALF);
    if (form == "sine") return s + sin(s);
    return s + more[1][{row - column + 3, h}];
  };
  options.causal = form == "distances";
  options.dropout = form == "dropped" ? 0.1 : 0;
  return options;
}

/// A streaming kernel and its tile.
struct Full {
  Source source{};
  codegen::CudaStreamingTile tile{};
};

/// The kernel with two accumulators among those of the gradients with heads of `width`.
Full full(const std::string& form, std::int64_t width = 128, bool tf32 = false) {
  const TensorType rows{tf32 ? f32 : bf16, {batch, heads, length, width}};
  const auto gradients = [&](const Tensors& x) -> Tensors {
    const AttentionOptions options = options_of(form, {x[4], x[5]});
    const auto attention = [&](const Tensor& q, const Tensor& k, const Tensor& v) {
      return scaled_dot_product_attention(q, k, v, options);
    };
    const auto [of_q, of_k, of_v] = vjp(attention, x[0], x[1], x[2]).pullback(x[3]);
    return {of_q, of_k, of_v};
  };
  const schedule::Plan plan =
      planned({rows, rows, rows, rows, {i64, {batch, length}}, {f32, {32, heads}}}, gradients);
  for (const schedule::Kernel& kernel : plan.kernels) {
    auto how = codegen::cuda_streaming_form(kernel, {.tf32 = tf32});
    REQUIRE(how.has_value());
    if (how->form.accumulators.size() != 2) continue;
    return {codegen::emit_cuda(kernel, {.tf32 = tf32}),
            codegen::CudaStreaming(*std::move(how), {}).tile()};
  }
  FAIL("no kernel has two sums");
  return {};
}

/// The kernel of attention with heads of 64, where each query sees the `width` keys before it, or
/// all keys if `width` is 0.
Full with_window(std::int64_t width) {
  AttentionOptions options{.causal = width == 0};
  if (width != 0) {
    options.score = [=](const Tensor& s, const Tensor&, const Tensor&, const Tensor& i,
                        const Tensor& j) -> Tensor {
      return where((j <= i) & (i - j < width), s, -HUGE_VALF);
    };
  }
  const TensorType rows{bf16, {batch, heads, length, 64}};
  const schedule::Plan plan = planned({rows, rows, rows}, [&](const Tensors& x) -> Tensors {
    return {scaled_dot_product_attention(x[0], x[1], x[2], options)};
  });
  REQUIRE(plan.kernels.size() == 1);
  auto how = codegen::cuda_streaming_form(plan.kernels[0], {});
  REQUIRE(how.has_value());
  return {codegen::emit_cuda(plan.kernels[0], {}),
          codegen::CudaStreaming(*std::move(how), {}).tile()};
}

}  // namespace

TEST_CASE("cuda_streaming: large accumulators and long score functions give small step tiles") {
  const codegen::CudaStreamingTile documents = full("documents").tile;
  CHECK(documents.full);
  CHECK(documents.steps == 32);
  for (const std::string form : {"distances", "dropped", "sine"}) {
    INFO(form);
    CHECK(full(form).tile.steps == 16);
    CHECK(full(form, 64, true).tile.steps == 16);
  }
  CHECK(full("documents", 32).tile.steps == 32);
}

TEST_CASE("cuda_streaming: NVRTC compiles kernels with large accumulators without spills") {
  if (nvrtc() == nullptr) {
    MESSAGE("skipped: ", nvrtc_missing());
    return;
  }
  const Vector<Source> sources{full("documents").source, full("distances").source,
                               full("dropped", 64, true).source, full("dropped", 32).source};
  check_no_spills(cuda_program(sources));
}

TEST_CASE("cuda_streaming: a warp has two fragments of rows if scores take few instructions") {
  CHECK(with_window(0).tile.high == 2);
  CHECK(with_window(128).tile.high == 1);
}

TEST_CASE("cuda_streaming: NVRTC compiles one and two fragments per warp, without spills") {
  if (nvrtc() == nullptr) {
    MESSAGE("skipped: ", nvrtc_missing());
    return;
  }
  check_no_spills(cuda_program({with_window(0).source, with_window(128).source}));
}
