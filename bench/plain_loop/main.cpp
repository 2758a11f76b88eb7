// A training step of a plain loop in which only the model is compiled, against the same step
// compiled as a whole, and against torch with a compiled model: 64-128-128-10 on batches of 64, the
// feed-forward block of a transformer, and a whole block, each with AdamW.

#include "comparison.hpp"

namespace {

using bench::Sizes;
using sinter::Tensor;

struct Digits {
  sinter::nn::Linear first{64, 128}, second{128, 128}, last{128, 10};
  SINTER_MODULE(Digits, first, second, last)
  Tensor forward(const Tensor& x) const { return last(gelu(second(gelu(first(x))))); }
};

struct Mlp {
  sinter::nn::Linear up{512, 2048}, down{2048, 512};
  SINTER_MODULE(Mlp, up, down)
  Tensor forward(const Tensor& x) const { return x + down(gelu(up(x))); }
};

using Layer = sinter::nn::TransformerEncoderLayer;
constexpr sinter::nn::TransformerEncoderLayerOptions layer_options{
    .dropout = 0,
    .activation = sinter::nn::Activation::gelu,
    .batch_first = true,
    .norm_first = true};

template <class Model>
Tensor loss_of(const Tensor& result, const Tensor& target) {
  return std::is_same_v<Model, Digits> ? cross_entropy(result, target) : mse_loss(result, target);
}

template <class Model>
Tensor whole_step(Model& model, sinter::optim::AdamW& optimizer, const Tensor& x,
                  const Tensor& target) {
  auto [loss, gradients] =
      sinter::value_and_grad(model, [&] { return loss_of<Model>(model(x), target); });
  optimizer.step(model, gradients);
  return loss;
}

template <class Model>
void measure(const bench::Report& report, bench::Peer& peer, const std::string& name,
             const Model& initial, const Tensor& x, const Tensor& target) {
  for (const int threads : {1, sinter::detail::runtime::num_threads()}) {
    sinter::set_num_threads(threads);
    Model one = initial, other = initial;
    sinter::optim::AdamW first{.learning_rate = 1e-4f}, second{.learning_rate = 1e-4f};
    auto model = sinter::compile(one, {.fullgraph = true});
    auto step = sinter::compile(whole_step<Model>);
    const auto plain = [&] {
      auto [loss, gradients] =
          sinter::value_and_grad(one, [&] { return loss_of<Model>(model(x), target); });
      first.step(one, gradients);
      bench::keep(loss.template item<float>());
    };
    const auto whole = [&] { bench::keep(step(other, second, x, target).template item<float>()); };
    bench::Sample mine(plain, 2e-3), peers(whole, 2e-3);
    report.add(name, threads, bench::compare(mine, peers, 9), "the whole step compiled", 1 / 1.3);
    for (const std::string kind : {"eager", "compile"}) {
      if (!peer.prepare(kind + " " + name, threads)) continue;
      report.add(name, threads, bench::compare(mine, peer), "torch " + kind, 1);
    }
    sinter::set_num_threads(0);
  }
}

}  // namespace

int main() {
  const bench::Report report("plain_loop");
  bench::Peer peer(SINTER_BENCH_DIR "/plain_loop/torch_peer.py");
  const Tensor images = bench::numbers({64, 64});
  measure(report, peer, "digits", Digits(), images, argmax(bench::numbers({64, 10}), 1));
  const Tensor rows = bench::numbers({1024, 512});
  measure(report, peer, "mlp", Mlp(), rows, bench::numbers({1024, 512}, 2));
  const Tensor words = bench::numbers({4, 128, 256});
  measure(report, peer, "block", Layer(256, 8, layer_options), words,
          bench::numbers({4, 128, 256}, 2));
}
