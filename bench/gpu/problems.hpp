#pragma once
// The GPU problems. Each creates its arguments there, compiles, and returns the function to run.

#include <cstdint>     // std::int64_t
#include <functional>  // std::function
#include <string>      // std::string
#include <vector>      // std::vector

#include <sinter/sinter.hpp>

#include "../layers.hpp"
#include "../measure.hpp"

namespace bench::gpu {

using sinter::DType;
using sinter::Tensor;
using Sizes = std::vector<std::int64_t>;

struct Problem {
  std::string name;  ///< As torch_peer.py calls it.
  Sizes sizes;
  double bytes = 0;  ///< The least number read and written; 0: not a bound.
  std::function<std::function<void()>()> make{};
  bool many_launches = false;  ///< Host time matters as well.
};

constexpr sinter::CompileOptions options{.mode = sinter::Mode::reduce_overhead};

inline Tensor random(const Sizes& sizes, DType dtype = sinter::f32) {
  Tensor result = sinter::randn(sinter::Shape(std::span<const std::int64_t>(sizes))).to(dtype);
  sinter::detail::evaluate(result);
  return result;
}

inline double floats(const Sizes& sizes, double times) {
  for (const std::int64_t size : sizes) times *= static_cast<double>(size);
  return 4 * times;
}

inline Problem pointwise(std::int64_t count) {
  return {"pointwise", {count}, floats({count}, 3), [=] {
            auto f = sinter::compile(
                [](const Tensor& x, const Tensor& y) { return gelu(x * y + 1.0f) * x; }, options);
            return [f, x = random({count}), y = random({count})] { f(x, y); };
          }};
}

inline Problem softmax(const Sizes& sizes) {
  return {"softmax", sizes, floats(sizes, 2), [=] {
            auto f =
                sinter::compile([](const Tensor& x) { return sinter::softmax(x, -1); }, options);
            return [f, x = random(sizes)] { f(x); };
          }};
}

inline Problem layer_norm(const Sizes& sizes) {
  return {"layer_norm", sizes, floats(sizes, 2), [=] {
            auto f = sinter::compile([](const Tensor& x, const Tensor& w,
                                        const Tensor& b) { return sinter::layer_norm(x, w, b); },
                                     options);
            return [f, x = random(sizes), w = random({sizes[1]}), b = random({sizes[1]})] {
              f(x, w, b);
            };
          }};
}

/// The values and all gradients: reads x and g, writes the norm and the gradient of x.
inline Problem layer_norm_gradients(const Sizes& sizes) {
  return {"layer_norm_gradients", sizes, floats(sizes, 4), [=] {
            auto f = sinter::compile(
                [](const Tensor& x, const Tensor& w, const Tensor& b, const Tensor& g) {
                  const auto [y, pull] =
                      sinter::vjp([](const Tensor& a, const Tensor& c,
                                     const Tensor& d) { return sinter::layer_norm(a, c, d); },
                                  x, w, b);
                  return std::pair(y, pull(g));
                },
                options);
            return [f, x = random(sizes), g = random(sizes), w = random({sizes[1]}),
                    b = random({sizes[1]})] { f(x, w, b, g); };
          }};
}

struct Parameters {
  std::vector<Tensor> values{};
  SINTER_MODULE(Parameters, values)
};

/// `sizes`: how many tensors, and the rows and columns of each.
inline Problem adamw(const Sizes& sizes) {
  return {"adamw", sizes, floats(sizes, 7), [=] {
            Parameters parameters;
            std::vector<std::pair<std::string, Tensor>> list;
            for (std::int64_t i = 0; i < sizes[0]; ++i) {
              parameters.values.push_back(random({sizes[1], sizes[2]}));
              list.emplace_back("values." + std::to_string(i), random({sizes[1], sizes[2]}));
            }
            auto step = sinter::compile([](Parameters& model, sinter::optim::AdamW& rule,
                                           const sinter::Gradients& all) { rule.step(model, all); },
                                        options);
            return [step, parameters, gradients = sinter::Gradients(list),
                    rule = sinter::optim::AdamW{}]() mutable { step(parameters, rule, gradients); };
          }};
}

/// bf16, with bias and gelu as the epilogue of the product.
inline Problem product(std::int64_t size) {
  return {"product", {size, size, size}, 0, [=] {
            auto f = sinter::compile(
                [](const Tensor& x, const Tensor& w, const Tensor& b) {
                  return gelu(linear(x, w, b), sinter::Gelu::tanh);
                },
                options);
            return
                [f, x = random({size, size}, sinter::bf16), w = random({size, size}, sinter::bf16),
                 b = random({size}, sinter::bf16)] { f(x, w, b); };
          }};
}

/// `sizes`: batch, heads, length, width of a head; bf16.
inline Problem attention(const Sizes& sizes, bool causal) {
  return {causal ? "attention_causal" : "attention", sizes, 0, [=] {
            auto f = sinter::compile(
                [=](const Tensor& q, const Tensor& k, const Tensor& v) {
                  return sinter::scaled_dot_product_attention(q, k, v, {.causal = causal});
                },
                options);
            return [f, q = random(sizes, sinter::bf16), k = random(sizes, sinter::bf16),
                    v = random(sizes, sinter::bf16)] { f(q, k, v); };
          }};
}

inline Problem layers(std::int64_t depth) {
  return {"layers",
          {depth},
          0,
          [=] {
            auto f = sinter::compile(make_layers(static_cast<std::size_t>(depth)), options);
            return [f, x = random({10, 10})] { f(x); };
          },
          true};
}

struct Network {
  sinter::nn::Linear first{64, 128}, second{128, 128}, last{128, 10};
  SINTER_MODULE(Network, first, second, last)
  Tensor forward(const Tensor& x) const { return last(gelu(second(gelu(first(x))))); }
};

/// `steps` training steps on batches of 64 small images: the network of examples/digits.
inline Problem digits(std::int64_t steps) {
  return {"digits",
          {steps},
          0,
          [=] {
            auto step = sinter::compile(
                [](Network& network, sinter::optim::AdamW& rule, const Tensor& x, const Tensor& y) {
                  auto [loss, gradients] =
                      sinter::value_and_grad(network, [&] { return cross_entropy(network(x), y); });
                  rule.step(network, gradients);
                  return loss;
                },
                options);
            Tensor y = sinter::randint(0, 10, {64});
            sinter::detail::evaluate(y);
            return [=, x = random({64, 64}), network = Network(),
                    rule = sinter::optim::AdamW{}]() mutable {
              for (std::int64_t i = 0; i < steps; ++i) step(network, rule, x, y);
            };
          },
          true};
}

inline std::vector<Problem> all() {
  return {pointwise(1 << 28),
          softmax({16384, 4096}),
          layer_norm({16384, 4096}),
          layer_norm_gradients({16384, 4096}),
          adamw({200, 1024, 1024}),
          product(4096),
          product(8192),
          attention({8, 16, 2048, 64}, false),
          attention({8, 16, 2048, 64}, true),
          attention({8, 16, 2048, 128}, false),
          attention({8, 16, 2048, 128}, true),
          layers(64),
          digits(23)};
}

/// The same in sizes that the emulator can run.
inline std::vector<Problem> all_tiny() {
  return {pointwise(300),
          softmax({3, 40}),
          layer_norm({3, 40}),
          layer_norm_gradients({3, 40}),
          adamw({3, 2, 5}),
          product(16),
          attention({1, 2, 8, 16}, false),
          attention({1, 2, 8, 16}, true),
          layers(2),
          digits(2)};
}

/// Seconds from compile() to the end of the first call, with empty caches and existing arguments.
inline double cold_seconds(const Problem& problem) {
  const sinter::ScopedFreshCache fresh;
  return seconds([&] {
    problem.make()();
    sinter::synchronize(sinter::cuda());
  });
}

}  // namespace bench::gpu
