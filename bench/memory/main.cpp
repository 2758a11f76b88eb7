// Bytes that a call needs beyond its arguments, results and state: the peak of allocated memory,
// counted by the allocators of sinter and of torch.
//   mlp      a training step of the feed-forward block with AdamW: rows x width
//   block    a training step of a block of a transformer with AdamW: batch x length x width
//   forward  of that block alone

#include "comparison.hpp"

namespace {

using bench::Sizes;
using sinter::Tensor;
using Layer = sinter::nn::TransformerEncoderLayer;

struct Mlp {
  sinter::nn::Linear up, down;
  SINTER_MODULE(Mlp, up, down)
  Tensor forward(const Tensor& x) const { return x + down(sinter::gelu(up(x))); }
};

// The peak of memory in use during the third run of `call`, minus `others`, the bytes of arguments
// and state.
template <class Call>
double transient_bytes(std::int64_t before, double others, Call call) {
  call(), call();
  sinter::reset_memory_stats();
  call();
  return static_cast<double>(sinter::memory_stats().peak_bytes - before) - others;
}

void report_bytes(const bench::Report& report, bench::Peer& peer, const std::string& name,
                  double bytes) {
  const int threads = sinter::detail::runtime::num_threads();
  for (const std::string kind : {"eager", "compile"}) {
    const double other = std::atof(peer.tell(kind + " " + name, threads).c_str());
    if (other <= 0) continue;
    report.add({.problem = {},
                .size = name,
                .threads = threads,
                .sinter = bytes,
                .peer = other,
                .peer_name = "torch " + kind,
                .ratio = other / bytes,
                .target = 1,
                .least = 0,
                .unit = bench::Unit::bytes});
  }
}

template <class Module>
void measure_step(const bench::Report& report, bench::Peer& peer, const std::string& name,
                  Module module, const Sizes& sizes) {
  const Tensor x = bench::numbers(sizes), target = bench::numbers(sizes, 2);
  sinter::nn::for_each_parameter(module,
                                 [](const auto&, Tensor& p) { sinter::detail::evaluate(p); });
  sinter::optim::AdamW optimizer{.learning_rate = 1e-4f};
  const auto step = [](Module& model, sinter::optim::AdamW& rule, const Tensor& input,
                       const Tensor& wanted) {
    auto [loss, gradients] =
        sinter::value_and_grad(model, [&] { return sinter::mse_loss(model(input), wanted); });
    rule.step(model, gradients);
    return loss;
  };
  auto compiled = sinter::compile(step);
  double moments = 0;
  sinter::nn::for_each_parameter(
      module, [&](const auto&, Tensor& p) { moments += 2 * bench::bytes_of(p); });
  const std::int64_t before = sinter::memory_stats().live_bytes;
  const double bytes = transient_bytes(
      before, moments, [&] { bench::keep(compiled(module, optimizer, x, target)); });
  report_bytes(report, peer, name + " " + bench::size_text(sizes), bytes);
}

void measure_forward(const bench::Report& report, bench::Peer& peer, Layer layer,
                     const Sizes& sizes) {
  const Tensor x = bench::numbers(sizes);
  sinter::nn::for_each_parameter(layer,
                                 [](const auto&, Tensor& p) { sinter::detail::evaluate(p); });
  auto compiled = sinter::compile(layer);
  const std::int64_t before = sinter::memory_stats().live_bytes;
  const double bytes = transient_bytes(before, 0, [&] { bench::keep(compiled(x)); });
  report_bytes(report, peer, "forward " + bench::size_text(sizes), bytes);
}

}  // namespace

int main() {
  const bench::Report report("memory");
  bench::Peer peer(SINTER_BENCH_DIR "/memory/torch_peer.py");
  for (const Sizes& sizes :
       {Sizes{1024, 256}, Sizes{bench::draw(200, 2000), 16 * bench::draw(4, 24)}}) {
    measure_step(report, peer, "mlp", Mlp{{sizes[1], 4 * sizes[1]}, {4 * sizes[1], sizes[1]}},
                 sizes);
  }
  const auto layer = [](long width) {
    return Layer(width, 8,
                 {.dropout = 0,
                  .activation = sinter::nn::Activation::gelu,
                  .batch_first = true,
                  .norm_first = true});
  };
  for (const Sizes& sizes : {Sizes{8, 256, 512}, Sizes{bench::draw(1, 8), bench::draw(50, 300),
                                                       64 * bench::draw(2, 6)}}) {
    // Separate weights for each: calls of the first keep packed copies that the step would free,
    // and the step must be the only holder of the weights that it updates in place.
    measure_forward(report, peer, layer(sizes[2]), sizes);
    measure_step(report, peer, "block", layer(sizes[2]), sizes);
  }
}
