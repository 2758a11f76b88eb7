// Convolutions and pools of shapes that are drawn at random: depthwise, grouped, strided ones, and
// pools, each with its gradients. SINTER_BENCH_SEED draws other shapes than those of the table.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <random>
#include <string>
#include <utility>

#include "comparison.hpp"

namespace {

using bench::Sizes;
using sinter::Tensor;

/// A convolution or pool of square windows; a pool has no `out`.
struct Case {
  std::int64_t batch = 1, in = 1, height = 1, width = 1, out = 1, window = 1, stride = 1;
  std::int64_t padding = 0, dilation = 1, groups = 1;

  static std::int64_t along(std::int64_t size, const Case& of) {
    return (size + 2 * of.padding - of.dilation * (of.window - 1) - 1) / of.stride + 1;
  }
  Sizes sizes() const {
    return {batch, in, height, width, out, window, stride, padding, dilation, groups};
  }
  Sizes input() const { return {batch, in, height, width}; }
  Sizes weight() const { return {out, in / groups, window, window}; }
  Sizes result() const { return {batch, out, along(height, *this), along(width, *this)}; }
  /// Two for each multiply-add.
  double operations() const {
    double result = 2;
    for (const std::int64_t size : this->result()) result *= static_cast<double>(size);
    return result * static_cast<double>(in / groups * window * window);
  }
};

class Draws {
 public:
  Case depthwise() {
    const std::int64_t side = one_of({7, 14, 28, 56, 112, 19, 33, 75});
    const std::int64_t channels = channels_for(side, 8), window = one_of({3, 3, 5, 7});
    return with({.in = channels,
                 .height = side,
                 .width = side,
                 .out = channels,
                 .window = window,
                 .stride = one_of({1, 1, 2}),
                 .padding = window / 2,
                 .groups = channels});
  }
  Case grouped() {
    const std::int64_t side = one_of({7, 14, 28, 56, 21}), groups = one_of({8, 32, 32});
    const std::int64_t channels = groups * one_of({4, 8, 16});
    return with({.in = channels,
                 .height = side,
                 .width = side,
                 .out = channels,
                 .window = 3,
                 .stride = one_of({1, 1, 2}),
                 .padding = 1,
                 .groups = groups});
  }
  Case strided() {
    const std::int64_t window = one_of({3, 5, 7, 11}), stride = window == 11 ? 4 : 2;
    const bool first = window >= 7;
    const std::int64_t side = first ? one_of({112, 160, 224}) : one_of({28, 56, 35});
    return with({.in = first ? 3 : one_of({32, 64}),
                 .height = side,
                 .width = side,
                 .out = one_of({32, 64, 96}),
                 .window = window,
                 .stride = stride,
                 .padding = window / 2,
                 .groups = 1});
  }
  Case pool() {
    const std::int64_t side = one_of({14, 28, 56, 112, 35, 75}), window = one_of({2, 3, 3});
    const std::int64_t channels = channels_for(side, 16);
    return with({.in = channels,
                 .height = side,
                 .width = side,
                 .out = channels,
                 .window = window,
                 .stride = one_of({2, 2, 1}),
                 .padding = window / 2 * one_of({0, 1}),
                 .groups = channels});
  }

 private:
  std::int64_t one_of(std::initializer_list<std::int64_t> numbers) {
    const auto most = static_cast<std::uint32_t>(numbers.size());
    return numbers.begin()[random_() % most];
  }
  // A few million elements, as in the layers of networks.
  std::int64_t channels_for(std::int64_t side, std::int64_t batch) {
    const std::int64_t most = (std::int64_t{3} << 20) / (side * side * batch);
    return std::max<std::int64_t>(16, std::min<std::int64_t>(most, 512) / 16 * 16);
  }
  Case with(Case one) {
    one.batch = one_of({4, 8, 16});
    return one;
  }

  std::mt19937 random_{[] {
    const char* seed = std::getenv("SINTER_BENCH_SEED");
    return seed == nullptr ? 28u : static_cast<std::uint32_t>(std::strtoul(seed, nullptr, 10));
  }()};
};

Tensor convolve(const Tensor& x, const Tensor& weight, const Case& of) {
  return conv2d(
      x, weight,
      {.stride = of.stride, .padding = of.padding, .dilation = of.dilation, .groups = of.groups});
}

// Bound by memory or by arithmetic; torch without a compiler has kernels for each of them.
const bench::Aim aim{.peers = {"eager"}};

// The sizes that `function` captures do not change, so that it is replayed, as a module is.
auto compile_closed(auto function) { return sinter::compile(sinter::assume_pure(function)); }

void measure_convolution(const bench::Report& report, bench::Peer& peer, const Case& of) {
  const Tensor x = bench::numbers(of.input()), weight = bench::numbers(of.weight(), 2),
               g = bench::numbers(of.result(), 3);
  const bench::Work work{bench::bytes_of(x, weight, g), of.operations()};
  const auto row = [&](const char* name, auto function) {
    bench::Match(report, peer, name, of.sizes(), work, aim).run([&] {
      return [&, f = compile_closed(function)] { bench::keep(f(x, weight, g)); };
    });
  };
  row("forward",
      [=](const Tensor& a, const Tensor& b, const Tensor&) { return convolve(a, b, of); });
  const auto loss = [=](const Tensor& a, const Tensor& b, const Tensor& c) {
    return sum(convolve(a, b, of) * c);
  };
  row("input_gradient", sinter::grad(loss, 0));
  row("weight_gradient", sinter::grad(loss, 1));
}

// A training step's part: the result and the gradient of the input.
void measure_pool(const bench::Report& report, bench::Peer& peer, const Case& of, bool largest) {
  const Tensor x = bench::numbers(of.input()), g = bench::numbers(of.result(), 3);
  const auto pool = [=](const Tensor& a) {
    return largest ? max_pool2d(a, of.window, {.stride = of.stride, .padding = of.padding})
                   : avg_pool2d(a, of.window, {.stride = of.stride, .padding = of.padding});
  };
  const double once = bench::bytes_of(x, g);
  const std::string name = largest ? "max_pool" : "avg_pool";
  bench::Match(report, peer, name, of.sizes(), {once, 0}, aim).run([&] {
    return [&, f = compile_closed(pool)] { bench::keep(f(x)); };
  });
  const auto both = [=](const Tensor& a, const Tensor& c) {
    const Tensor y = pool(a);
    return std::pair{y, sinter::grad([&](const Tensor& b) { return sum(pool(b) * c); })(a)};
  };
  bench::Match(report, peer, name + "_training", of.sizes(), {2 * once + bench::bytes_of(g), 0},
               aim)
      .run([&] { return [&, f = compile_closed(both)] { bench::keep(f(x, g)); }; });
}

}  // namespace

int main() {
  const bench::Report report("convolution");
  bench::Peer peer(SINTER_BENCH_DIR "/convolution/torch_peer.py");
  Draws draws;
  for (int i = 0; i < 10; ++i) {
    measure_convolution(report, peer, draws.depthwise());
    if (i % 2 == 0) measure_convolution(report, peer, draws.grouped());
    if (i % 2 == 0) measure_convolution(report, peer, draws.strided());
    measure_pool(report, peer, draws.pool(), i % 3 != 0);
  }
}
