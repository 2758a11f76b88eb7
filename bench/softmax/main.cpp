// Row functions over (4096, 1024) floats: softmax, and layer_norm of a sum, as in a transformer.

#include <sinter/sinter.hpp>

#include "by_hand.hpp"
#include "measure.hpp"
#include "peer.hpp"
#include "report.hpp"
#include "share.hpp"

namespace {

using sinter::Tensor;

constexpr std::size_t rows = 4096, columns = 1024;

Tensor table(float scale) {
  std::vector<float> values(rows * columns);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = scale * static_cast<float>(i * 2654435761u % 1000) / 1000.0f;
  }
  return sinter::from_vector(values, {rows, columns});
}

struct Data {
  Tensor x = table(3), residual = table(-2);
  Tensor weight = sinter::from_vector(std::vector<float>(columns, 1.5f), {columns});
  Tensor bias = sinter::from_vector(std::vector<float>(columns, 0.5f), {columns});
  Tensor out = table(0);  // its memory is what by hand writes
};

// `sinter` and `hand` run the function once; the second on rows begin..end.
template <class Sinter, class Hand>
void measure(const bench::Report& report, bench::Peer& peer, const std::string& name, int threads,
             Sinter sinter, Hand hand) {
  auto sample = bench::sample_of(sinter);
  auto bound = bench::sample_of([&] { bench::share(rows, threads, hand); });
  report.add(name, threads, bench::compare(sample, bound), "by hand", 0.9);
  for (const std::string kind : {"eager", "compile"}) {
    if (!peer.prepare(kind + " " + name, threads)) continue;
    report.add(name, threads, bench::compare(sample, peer), "torch " + kind, 1);
  }
}

void measure_softmax(const bench::Report& report, bench::Peer& peer, const Data& data,
                     int threads) {
  auto softmax = sinter::compile([](const Tensor& x) { return sinter::softmax(x, -1); });
  const auto* const x = data.x.data<float>();
  auto* const out = const_cast<float*>(data.out.data<float>());
  measure(
      report, peer, "softmax", threads, [&] { bench::keep(softmax(data.x)); },
      [=](std::size_t begin, std::size_t end) { softmax_by_hand(x, out, begin, end, columns); });
}

void measure_layer_norm(const bench::Report& report, bench::Peer& peer, const Data& data,
                        int threads) {
  auto norm = sinter::compile(
      [](const Tensor& x, const Tensor& residual, const Tensor& weight, const Tensor& bias) {
        return sinter::layer_norm(x + residual, weight, bias);
      });
  const auto *const x = data.x.data<float>(), *const residual = data.residual.data<float>();
  const auto *const weight = data.weight.data<float>(), *const bias = data.bias.data<float>();
  auto* const out = const_cast<float*>(data.out.data<float>());
  measure(
      report, peer, "residual, layer_norm", threads,
      [&] { bench::keep(norm(data.x, data.residual, data.weight, data.bias)); },
      [=](std::size_t begin, std::size_t end) {
        layer_norm_by_hand(x, residual, weight, bias, out, begin, end, columns);
      });
}

}  // namespace

int main() {
  const bench::Report report("softmax");
  bench::Peer peer(SINTER_BENCH_DIR "/softmax/torch_peer.py");
  const Data data;
  for (const int threads : {1, sinter::runtime::num_threads()}) {
    sinter::set_num_threads(threads);
    measure_softmax(report, peer, data, threads);
    measure_layer_norm(report, peer, data, threads);
    sinter::set_num_threads(0);
  }
}
