// test: deep emulator gpu cost=35
// Attention on an emulated GPU: streaming kernels over keys, which do not store scores.

#include <doctest/doctest.h>
#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/sinter.hpp>

#include <functional>
#include <vector>

#include "cuda_emulator/counted_driver.hpp"
#include "cuda_emulator/gpus.hpp"
#include "end_to_end/gpu.hpp"

using namespace gpu;

namespace {

using Many = std::vector<Tensor>;  // queries, keys, values, the gradient of the result, a mask
using Attention = std::function<Tensor(const Tensor&, const Tensor&, const Tensor&, const Many&)>;

struct Case {
  const char* name;
  Attention attention;
  Shape queries{2, 3, 40, 8}, keys{2, 3, 40, 8};
  Tensor mask = sample({40, 40}, 0.11);
};

Attention with(AttentionOptions options, bool masked = false) {
  return [=](const Tensor& q, const Tensor& k, const Tensor& v, const Many& more) {
    AttentionOptions all = options;
    if (masked) all.mask = more[4];
    return scaled_dot_product_attention(q, k, v, all);
  };
}

Tensor by_hand(const Tensor& q, const Tensor& k, const Tensor& v, const Many&) {
  return matmul(softmax(matmul(q, transpose(k, -2, -1)) * 0.3f, -1), v);
}

// A score function: prefers keys near the query, and limits the size of the scores.
Tensor score(const Tensor& s, const Tensor&, const Tensor& head, const Tensor& i, const Tensor& j) {
  const Tensor near = 5.0f * tanh((s + (j - i) * 0.1f * (head + 1)) / 5.0f);
  return where(i - j < 16, where(j <= i, near, -HUGE_VALF), -HUGE_VALF);
}

std::vector<Case> cases() {
  const Shape all{2, 3, 40, 8};
  return {{"plain", with({})},
          {"causal", with({.causal = true})},
          {"mask", with({}, true), all, all, arange(40) % 3 < 2},
          {"bias", with({}, true)},
          {"score", with({.score = score})},
          {"grouped", with({.causal = true, .enable_gqa = true}), {1, 4, 40, 8}, {1, 2, 40, 8}},
          {"crossed", with({}), {2, 24, 8}, {2, 72, 8}},
          {"by hand", by_hand}};
}

Many inputs(const Case& one, DType dtype) {
  return {sample(one.queries, 0.1).to(dtype), sample(one.keys, 0.2).to(dtype),
          sample(one.keys, 0.3).to(dtype), sample(one.queries, 0.4).to(dtype), one.mask};
}

Many there(const Many& x) {
  Many result;
  for (const Tensor& one : x) result.push_back(one.to(cuda()));
  return result;
}

Many forward(const Case& one, const Many& x) { return {one.attention(x[0], x[1], x[2], x)}; }

// Of queries, keys and values.
Many backward(const Case& one, const Many& x) {
  const auto attention = [&](const Tensor& q, const Tensor& k, const Tensor& v) {
    return one.attention(q, k, v, x);
  };
  const auto [of_q, of_k, of_v] = vjp(attention, x[0], x[1], x[2]).pullback(x[3]);
  return {of_q, of_k, of_v};
}

// Bytes of three numbers per row, which kernels pass to each other.
std::int64_t row_bytes(const Case& one) {
  const std::int64_t rows = (numel(one.queries) / one.queries.back()).value();
  return 3 * (4 * rows + 64);
}

}  // namespace

TEST_CASE("gpu attention: one kernel, which stores no scores") {
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
      CHECK(relative_difference(found[0], forward(one, x)[0]) < (dtype == f32 ? 1e-5 : 2e-2));
    }
  }
}

TEST_CASE("gpu attention: one recording and its kernels serve varying lengths") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  const Case one{"", with({.causal = true})};
  const auto f = compile([&](const Many& a) {
    const Many gradients = backward(one, a);
    return Many{forward(one, a)[0], gradients[0], gradients[1], gradients[2]};
  });
  for (const std::int64_t length : {40, 17, 130}) {
    const Case now{"", one.attention, {2, length, 8}, {2, length, 8}};
    const Many x = inputs(now, f32), gradients = backward(now, x);
    Many y = there(x);
    for (int i = 0; i < 4; ++i) mark_dynamic(y[static_cast<std::size_t>(i)], 1);
    const Many found = f(y);
    CHECK(relative_difference(found[0], forward(now, x)[0]) < 1e-5);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(relative_difference(found[i + 1], gradients[i]) < 1e-4);
    }
    CHECK(f.stats().kernels <= 3);
    CHECK(f.stats().peak_bytes <= row_bytes(now));
  }
  CHECK(f.stats().recompiles == 0);
}

TEST_CASE("gpu attention: gradients are at most three kernels, which store no scores") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  for (const Case& one : cases()) {
    for (const DType dtype : {f32, bf16}) {
      INFO(one.name, dtype == f32 ? " f32" : " bf16");
      const Many x = inputs(one, dtype);
      const auto f = compile([&](const Many& a) { return backward(one, a); });
      const Many found = f(there(x)), expected = backward(one, x);
      CHECK(f.stats().kernels <= 3);
      CHECK(f.stats().peak_bytes <= row_bytes(one));
      for (std::size_t i = 0; i < 3; ++i) {
        CHECK(relative_difference(found[i], expected[i]) < (dtype == f32 ? 1e-4 : 4e-2));
      }
    }
  }
}

// Losses of the attention result whose gradient is constant over all heads, or over all columns.
TEST_CASE("gpu attention: gradients of sums of the result store no scores") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  using Loss = Tensor (*)(const Tensor&, const Many&);
  const std::vector<Loss> losses{
      [](const Tensor& o, const Many&) { return sum(o); },
      [](const Tensor& o, const Many&) { return sum(slice(o, 2, 39, 40)) * 0.5f; },
      [](const Tensor& o, const Many&) { return mean(o * arange(8).to(o.dtype())); },
      [](const Tensor& o, const Many& x) { return sum(o * slice(x[3], 1, 0, 1)); }};
  for (std::size_t i = 0; i < losses.size(); ++i) {
    for (const DType dtype : {f32, bf16}) {
      CAPTURE(i);
      const Case one{"", with({.causal = i % 2 == 0}), {1, 3, 40, 8}, {1, 3, 40, 8}};
      const auto gradients = [&](const Many& a) {
        const auto loss = [&](const Tensor& q, const Tensor& k, const Tensor& v) {
          return losses[i](one.attention(q, k, v, a), a);
        };
        const auto [of_q, of_k, of_v] = grad(loss, {0, 1, 2})(a[0], a[1], a[2]);
        return Many{of_q, of_k, of_v};
      };
      const Many x = inputs(one, dtype), expected = gradients(x);
      const auto f = compile(gradients);
      const Many found = f(there(x));
      CHECK(f.stats().kernels <= 3);
      CHECK(f.stats().peak_bytes <= row_bytes(one) + 4 * numel(one.queries).value());
      for (std::size_t j = 0; j < 3; ++j) {
        CHECK(relative_difference(found[j], expected[j]) < (dtype == f32 ? 1e-4 : 4e-2));
      }
    }
  }
}

// A mask leaves out the first rows.
Many without_nan(const Many& x) {
  const Tensor scores = matmul(x[0], transpose(x[1], -2, -1));
  const Tensor weights = softmax(where(x[4], scores, -HUGE_VALF), -1);
  return {matmul(where(x[4], weights, 0.0f), x[2]),
          matmul(where(any(x[4], -1, true), weights, 0.0f), x[2])};
}

// Before the division by their sum, the weights exceed the range of f16.
Many of_large_weights(const Many& x) {
  const Tensor scores = matmul(x[0], transpose(x[1], -2, -1)).to(f32);
  const Tensor squares = square(scores * 300.0f), powers = exp(scores * 10.0f);
  return {matmul((squares / sum(squares, -1, true)).to(f16), x[2]),
          matmul((powers / sum(powers, -1, true)).to(f16), x[2])};
}

TEST_CASE("gpu attention: fully masked rows are 0 where the program says so") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  const Many x = inputs({"",
                         with({}),
                         {2, 40, 8},
                         {2, 40, 8},
                         logical_and(reshape(arange(40), {40, 1}) > 5, sample({40, 40}) > -0.5f)},
                        f32);
  const Many found = compile(without_nan)(there(x)), expected = without_nan(x);
  for (std::size_t i = 0; i < 2; ++i) CHECK(relative_difference(found[i], expected[i]) < 1e-5);
}

TEST_CASE("gpu attention: weights are normalised before they are rounded to f16") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  const Many x = inputs({"", with({}), {2, 40, 8}, {2, 40, 8}}, f16);
  const Many found = compile(of_large_weights)(there(x)), expected = of_large_weights(x);
  for (std::size_t i = 0; i < 2; ++i) CHECK(relative_difference(found[i], expected[i]) < 1e-2);
}

TEST_CASE("gpu attention: the dropout mask is recomputed, not stored") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  const Case one{"dropout", with({.dropout = 0.25})};
  const Many x = inputs(one, f32), y = there(x);
  const auto f = compile([&](const Many& a) { return backward(one, a); });
  random::manual_seed(3);
  const Many found = f(y);
  CHECK(f.stats().kernels <= 3);
  CHECK(f.stats().peak_bytes <= row_bytes(one));
  random::manual_seed(3);
  const Many expected = backward(one, x);
  for (std::size_t i = 0; i < 3; ++i) CHECK(relative_difference(found[i], expected[i]) < 1e-4);
}

TEST_CASE(
    "gpu attention: strict attention, and attention of few queries, are not streaming kernels") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  const Case one{"plain", with({})}, few{"few", with({}), {2, 3, 1, 8}, {2, 3, 40, 8}};
  const auto kernels = [&](const Case& a, Numerics numerics) {
    const Many x = inputs(a, f32);
    const auto f = compile([&](const Many& b) { return forward(a, b); }, {.numerics = numerics});
    CHECK(relative_difference(f(there(x))[0], forward(a, x)[0]) < 1e-5);
    return f.stats().kernels;
  };
  CHECK(kernels(one, Numerics::strict) == 3);
  CHECK(kernels(few, Numerics::fast) == 3);
}

TEST_CASE("gpu attention: a training step with attention is replayed as one graph") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  emulator::CountedDriver driver;
  constexpr std::int64_t batch = 2, heads = 4, length = 64, width = 32;
  const auto train = [&](Device device) {
    random::manual_seed(7);
    nn::TransformerEncoderLayer model(width, heads,
                                      {.dim_feedforward = 64, .dropout = 0, .batch_first = true});
    nn::to(model, device);
    optim::AdamW adamw{.learning_rate = 0.01f};
    const Tensor x = sample({batch, length, width}).to(device), y = cos(x * 3.0f);
    auto step = compile(
        [](nn::TransformerEncoderLayer& m, optim::AdamW& o, const Tensor& a, const Tensor& b) {
          auto [loss, gradients] = value_and_grad(m, [&] { return mse_loss(m(a), b); });
          o.step(m, gradients);
          return loss;
        },
        {.mode = Mode::reduce_overhead});
    std::vector<double> losses;
    for (int i = 0; i < 4; ++i) losses.push_back(step(model, adamw, x, y).item<float>());
    return losses;
  };
  const std::vector<double> there = train(cuda());
  CHECK(driver.calls<&CudaDriver::launch_graph>() == 4);
  const std::vector<double> here = train(cpu());
  CHECK(difference(there, here) < 1e-4);
}
