// A pre-norm transformer block with 8 heads and without dropout: forward, and a training step with
// AdamW.

#include "comparison.hpp"

namespace {

using bench::Sizes;
using sinter::Tensor;
using Layer = sinter::nn::TransformerEncoderLayer;

constexpr sinter::nn::TransformerEncoderLayerOptions options{
    .dropout = 0,
    .activation = sinter::nn::Activation::gelu,
    .batch_first = true,
    .norm_first = true};

Tensor train_step(Layer& layer, sinter::optim::AdamW& optimizer, const Tensor& x,
                  const Tensor& target) {
  auto [loss, gradients] =
      sinter::value_and_grad(layer, [&] { return sinter::mse_loss(layer(x), target); });
  optimizer.step(layer, gradients);
  return loss;
}

// The products: projections, scores and their use, the two linear layers of width 2048.
double operations(const Sizes& sizes) {
  const auto batch = static_cast<double>(sizes[0]), length = static_cast<double>(sizes[1]),
             width = static_cast<double>(sizes[2]);
  return batch * length * (8 * width * width + 4 * length * width + 4 * width * 2048);
}

void measure(const bench::Report& report, bench::Peer& peer, const Sizes& sizes) {
  const Tensor x = bench::numbers(sizes), target = bench::numbers(sizes, 2);
  Layer layer(sizes[2], 8, options);
  bench::Match(report, peer, "forward", sizes, {bench::bytes_of(x, x), operations(sizes)}).run([&] {
    return [&, f = sinter::compile(layer)] { bench::keep(f(x)); };
  });
  sinter::optim::AdamW optimizer{.learning_rate = 1e-4f};
  bench::Match(report, peer, "train", sizes, {bench::bytes_of(x, target), 3 * operations(sizes)})
      .run([&] {
        return
            [&, f = sinter::compile(train_step)] { bench::keep(f(layer, optimizer, x, target)); };
      });
}

}  // namespace

int main() {
  const bench::Report report("transformer");
  bench::Peer peer(SINTER_BENCH_DIR "/transformer/torch_peer.py");
  measure(report, peer, {8, 256, 512});
  measure(report, peer, {bench::draw(1, 8), bench::draw(50, 300), bench::draw(2, 8) * 64});
}
