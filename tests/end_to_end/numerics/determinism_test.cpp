// Any number of threads of the host computes the same bits; GPUs: gpu_determinism_test.cpp.

#include <doctest/doctest.h>
#include <sinter/sinter.hpp>

#include <vector>

#include "determinism.hpp"

using namespace repeated;

TEST_CASE("determinism: any number of threads computes the same bits, strict or fast") {
  const Tensor x = randn({517, 1029}), w = randn({1029, 90}), rows = randint(0, 517, {517});
  for (const Numerics numerics : {Numerics::strict, Numerics::fast}) {
    auto compiled = compile(strict_kernels, {.numerics = numerics});
    set_num_threads(1);
    const auto expected = bits_of(compiled(x, w, rows));
    for (const int threads : {2, 3, 4, 7}) {
      set_num_threads(threads);
      const auto found = bits_of(compiled(x, w, rows));
      REQUIRE(found.size() == expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        INFO("result ", i, " with ", threads, " threads");
        CHECK(found[i] == expected[i]);
      }
    }
  }
  set_num_threads(0);
}

TEST_CASE("determinism: row tiles, for any number of threads") {
  const Tensor q = randn({3, 131, 24}), k = randn({3, 140, 24}), v = randn({3, 140, 40});
  const Tensor x = randn({77, 48}), w = randn({48, 90}), gain = randn({90});
  auto compiled = compile([](const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& d,
                             const Tensor& e, const Tensor& g) {
    return std::vector<Tensor>{scaled_dot_product_attention(a, b, c, {.causal = true}),
                               matmul(layer_norm(d, {48}), e),
                               layer_norm(matmul(d, e), {90}, g, g)};
  });
  set_num_threads(1);
  const auto expected = bits_of(compiled(q, k, v, x, w, gain));
  CHECK(compiled.stats().kernels == 3);
  for (const int threads : {2, 3, 5, 16}) {
    set_num_threads(threads);
    INFO(threads, " threads");
    CHECK(bits_of(compiled(q, k, v, x, w, gain)) == expected);
  }
  set_num_threads(0);
}

TEST_CASE(
    "determinism: columns of products after a norm, which threads share if there are few rows") {
  const auto products = [](const Tensor& x, const Tensor& a, const Tensor& b) {
    const Tensor y = layer_norm(x, {160});
    return std::vector<Tensor>{matmul(y, a), x + matmul(y, b.to(f32))};
  };
  const Tensor a = randn({160, 1100}), b = randint(-9, 9, {160, 160}, i8);
  for (const std::int64_t rows : {5, 90}) {
    const Tensor x = randn({rows, 160});
    for (const Numerics numerics : {Numerics::strict, Numerics::fast}) {
      auto compiled = compile(products, {.numerics = numerics});
      set_num_threads(1);
      const auto expected = bits_of(compiled(x, a, b));
      for (const int threads : {2, 3, 5, 16}) {
        set_num_threads(threads);
        INFO(rows, " rows, ", threads, " threads");
        CHECK(bits_of(compiled(x, a, b)) == expected);
      }
      CHECK(compiled.stats().kernels == 1);
    }
  }
  set_num_threads(0);
}

TEST_CASE("determinism: training with horizontal fusion and sums over the grid") {
  const Tensor x = randn({2048, 64}), target = randn({2048, 64});
  const auto step = [](nn::TransformerEncoderLayer& layer, optim::AdamW& optimizer, const Tensor& a,
                       const Tensor& b) {
    auto [loss, gradients] = value_and_grad(layer, [&] { return mse_loss(layer(a), b); });
    clip_grad_norm(gradients, 0.5f);
    optimizer.step(layer, gradients);
    return loss;
  };
  nn::TransformerEncoderLayer start(64, 4,
                                    {.dim_feedforward = 128, .dropout = 0, .batch_first = true});
  for (const Numerics numerics : {Numerics::strict, Numerics::fast}) {
    auto compiled = compile(step, {.numerics = numerics});
    Bits expected;
    for (const int threads : {1, 2, 3, 4, 7}) {
      set_num_threads(threads);
      nn::TransformerEncoderLayer layer = start;
      optim::AdamW optimizer{.learning_rate = 1e-2f};
      std::vector<Tensor> results;
      for (int i = 0; i < 2; ++i) {
        results.push_back(
            compiled(layer, optimizer, reshape(x, {16, 128, 64}), reshape(target, {16, 128, 64})));
      }
      nn::for_each_parameter(layer, [&](const auto&, Tensor& value) { results.push_back(value); });
      const auto found = bits_of(results);
      if (expected.empty()) expected = found;
      INFO(threads, " threads");
      CHECK(found == expected);
    }
  }
  set_num_threads(0);
}
