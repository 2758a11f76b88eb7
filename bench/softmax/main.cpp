// Row functions: softmax, and layer_norm of a sum, as in a transformer.

#include "by_hand.hpp"
#include "comparison.hpp"

namespace {

using bench::Sizes;
using sinter::Tensor;

void measure(const bench::Report& report, bench::Peer& peer, const Sizes& sizes) {
  const Tensor x = bench::numbers(sizes), residual = bench::numbers(sizes, 2);
  const Tensor weight = bench::numbers({sizes[1]}, 3), bias = bench::numbers({sizes[1]}, 4);
  const Tensor out = bench::numbers(sizes);  // its memory is what by hand writes
  const auto rows = static_cast<std::size_t>(sizes[0]),
             columns = static_cast<std::size_t>(sizes[1]);
  const auto *const first = x.data<float>(), *const second = residual.data<float>();
  const auto *const scale = weight.data<float>(), *const shift = bias.data<float>();
  auto* const to = const_cast<float*>(out.data<float>());

  const auto softmax = [&] {
    return [&, f = sinter::compile([](const Tensor& a) { return sinter::softmax(a, -1); })] {
      bench::keep(f(x));
    };
  };
  bench::Match(report, peer, "softmax", sizes, {bench::bytes_of(x, out), 0})
      .run(softmax, rows, [=](std::size_t begin, std::size_t end) {
        softmax_by_hand(first, to, begin, end, columns);
      });

  const auto norm = [&] {
    return
        [&, f = sinter::compile([](const Tensor& a, const Tensor& b, const Tensor& c,
                                   const Tensor& d) { return sinter::layer_norm(a + b, c, d); })] {
          bench::keep(f(x, residual, weight, bias));
        };
  };
  bench::Match(report, peer, "residual_norm", sizes, {bench::bytes_of(x, residual, out), 0})
      .run(norm, rows, [=](std::size_t begin, std::size_t end) {
        layer_norm_by_hand(first, second, scale, shift, to, begin, end, columns);
      });
}

}  // namespace

int main() {
  const bench::Report report("softmax");
  bench::Peer peer(SINTER_BENCH_DIR "/softmax/torch_peer.py");
  measure(report, peer, {4096, 1024});
  measure(report, peer, {bench::draw(500, 6000), bench::draw(100, 3000)});
}
