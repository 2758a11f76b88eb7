// Attention on a GPU, here an emulated one: kernels that stream over its keys, and keep no scores.

#include <doctest/doctest.h>
#include <sinter/compile/cache.hpp>
#include <sinter/sinter.hpp>

#include <array>
#include <functional>
#include <vector>

#include "cuda_emulator/gpus.hpp"
#include "end_to_end/gpu.hpp"

using namespace gpu;

namespace {

using Attention = std::function<Tensor(const Tensor&, const Tensor&, const Tensor&)>;

struct Case {
  const char* name;
  Attention attention;
  Shape queries{2, 3, 40, 8}, keys{2, 3, 40, 8};
};

Attention with(AttentionOptions options) {
  return [=](const Tensor& q, const Tensor& k, const Tensor& v) {
    return scaled_dot_product_attention(q, k, v, options);
  };
}

Tensor by_hand(const Tensor& q, const Tensor& k, const Tensor& v) {
  return matmul(softmax(matmul(q, transpose(k, -2, -1)) * 0.3f, -1), v);
}

// Neighbours of each query, nearer ones first, in scores of limited size.
Tensor score(const Tensor& s, const Tensor&, const Tensor& head, const Tensor& i, const Tensor& j) {
  const Tensor near = 5.0f * tanh((s + (j - i) * 0.1f * (head + 1)) / 5.0f);
  return where((i - j < 16) && (j <= i), near, -HUGE_VALF);
}

std::vector<Case> cases() {
  const Tensor some = (arange(40) % 3 != 1) || (arange(40) == 0);
  const Tensor bias = sample({40, 40}, 0.11);
  return {{"plain", with({})},
          {"causal", with({.causal = true})},
          {"mask", with({.mask = some.to(cuda())})},
          {"bias", with({.mask = bias.to(cuda())})},
          {"score", with({.score = score})},
          {"grouped", with({.enable_gqa = true}), {1, 4, 40, 8}, {1, 2, 40, 8}},
          {"crossed", with({}), {2, 24, 8}, {2, 72, 8}},
          {"by hand", by_hand}};
}

std::vector<Tensor> inputs(const Case& one, DType dtype) {
  return {sample(one.queries, 0.1).to(dtype), sample(one.keys, 0.2).to(dtype),
          sample(one.keys, 0.3).to(dtype), sample(one.queries, 0.4).to(dtype)};
}

std::vector<Tensor> there(const std::vector<Tensor>& x, bool dynamic = false) {
  std::vector<Tensor> result;
  for (const Tensor& one : x) {
    result.push_back(one.to(cuda()));
    if (dynamic) mark_dynamic(result.back(), static_cast<int>(one.shape().size()) - 2);
  }
  return result;
}

using Many = std::vector<Tensor>;

Many forward(const Case& one, const Many& x) { return {one.attention(x[0], x[1], x[2])}; }

// Of queries, keys and values, for the last of `x` as the gradient of the result.
Many backward(const Case& one, const Many& x) {
  const auto [of_q, of_k, of_v] = vjp(one.attention, x[0], x[1], x[2]).pullback(x[3]);
  return {of_q, of_k, of_v};
}

// Bytes of numbers for each row: of queries, or of keys.
std::int64_t row_bytes(const Case& one) {
  const std::int64_t heads = numel(one.queries).value() / one.queries.back().value();
  return 64 * heads;
}

}  // namespace

TEST_CASE("gpu attention: it is one kernel, which keeps no scores") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  for (const Case& one : cases()) {
    for (const DType dtype : {f32, bf16}) {
      INFO(one.name, dtype == f32 ? " f32" : " bf16");
      const Many x = inputs(one, dtype);
      const auto f = compile([&](const Many& a) { return forward(one, a); });
      const Many found = f(there(x));
      CHECK(f.stats().kernels == 1);
      CHECK(f.stats().peak_bytes == 0);
      const ScopedDevice scope(cpu());
      CHECK(relative_difference(found[0], forward(one, x)[0]) < (dtype == f32 ? 1e-5 : 2e-2));
    }
  }
}

TEST_CASE("gpu attention: lengths that vary have the same kernel") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  const auto f = compile(with({.causal = true}));
  for (const std::int64_t length : {40, 17, 130}) {
    const Case one{"", with({.causal = true}), {2, length, 8}, {2, length, 8}};
    const Many x = inputs(one, f32), y = there(x, true);
    CHECK(relative_difference(f(y[0], y[1], y[2]), forward(one, x)[0]) < 1e-5);
    CHECK(f.stats().kernels == 1);
    CHECK(f.stats().peak_bytes == 0);
  }
  CHECK(f.stats().recompiles == 0);
}

TEST_CASE("gpu attention: gradients are three kernels at most, which keep no scores") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  for (const Case& one : cases()) {
    for (const DType dtype : {f32, bf16}) {
      INFO(one.name, dtype == f32 ? " f32" : " bf16");
      const Many x = inputs(one, dtype);
      const auto f = compile([&](const Many& a) { return backward(one, a); });
      const Many found = f(there(x)), expected = backward(one, x);
      CHECK(f.stats().kernels <= 3);
      CHECK(f.stats().peak_bytes < row_bytes(one));
      for (std::size_t i = 0; i < 3; ++i) {
        CHECK(relative_difference(found[i], expected[i]) < (dtype == f32 ? 1e-4 : 4e-2));
      }
    }
  }
}
