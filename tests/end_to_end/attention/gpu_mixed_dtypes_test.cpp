// test: emulator gpu
// Attention on an emulated GPU whose scores, weights and values have different dtypes: streamed
// only if all products are summed in the same one.

#include <doctest/doctest.h>
#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/sinter.hpp>

#include <tuple>

#include "cuda_emulator/gpus.hpp"
#include "end_to_end/gpu.hpp"

using namespace gpu;

namespace {

struct Case {
  DType queries, scores, values;
  std::int64_t kernels;
};

constexpr std::int64_t length = 96;

Tensor sample_of(DType dtype, double step) {
  const Tensor numbers = sample({2, length, 8}, step);
  return (is_floating(dtype) ? numbers : numbers * 3).to(dtype);
}

Tensor attention(const Case& one, const Tensor& q, const Tensor& k, const Tensor& v) {
  const Tensor scores = matmul(q, swapaxes(k, -1, -2)).to(one.scores) * 0.3;
  return matmul(softmax(scores, -1).to(one.values), v);
}

}  // namespace

TEST_CASE("attention of several dtypes on a GPU is that of the host, streamed if sums agree") {
  SINTER_GPUS(gpus, 1);
  for (const Case& one : {Case{f32, f32, f32, 1}, Case{f32, f16, f16, 1}, Case{f64, f64, f64, 1},
                          Case{f32, f32, f64, 3}, Case{f64, f32, f32, 3}, Case{f32, f64, f16, 3},
                          Case{i32, f32, f32, 3}, Case{f32, f32, i32, 3}}) {
    INFO(to_string(one.queries), " ", to_string(one.scores), " ", to_string(one.values));
    const Tensor q = sample_of(one.queries, 0.1), k = sample_of(one.queries, 0.2),
                 v = sample_of(one.values, 0.3);
    auto f = compile(
        [&](const Tensor& x, const Tensor& y, const Tensor& z) { return attention(one, x, y, z); });
    const Tensor got = f(q.to(cuda()), k.to(cuda()), v.to(cuda()));
    CHECK(difference(got, attention(one, q, k, v)) < 2e-3);
    CHECK(f.stats().kernels == one.kernels);
  }
}

TEST_CASE("the gradient of attention with scores and values in different dtypes on a GPU") {
  SINTER_GPUS(gpus, 1);
  const Case mixed{f32, f32, f64, 0};
  const auto gradients = [&](const Tensor& q, const Tensor& k, const Tensor& v) {
    const auto result = vjp([&](const Tensor& x, const Tensor& y,
                                const Tensor& z) { return attention(mixed, x, y, z); },
                            q, k, v);
    return result.pullback(result.value);
  };
  const Tensor q = sample_of(f32, 0.1), k = sample_of(f32, 0.2), v = sample_of(f64, 0.3);
  auto f = compile(gradients);
  const auto [of_q, of_k, of_v] = f(q.to(cuda()), k.to(cuda()), v.to(cuda()));
  const auto [host_q, host_k, host_v] = gradients(q, k, v);
  CHECK(difference(of_q, host_q) < 1e-5);
  CHECK(difference(of_k, host_k) < 1e-5);
  CHECK(difference(of_v, host_v) < 1e-5);
}
