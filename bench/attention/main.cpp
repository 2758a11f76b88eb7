// Causal attention with 8 heads of width 64; the roof counts only the scores that the mask
// keeps.

#include "comparison.hpp"

namespace {

using bench::Sizes;
using sinter::Tensor;

void measure(const bench::Report& report, bench::Peer& peer, const Sizes& sizes) {
  const Tensor q = bench::numbers(sizes), k = bench::numbers(sizes, 2),
               v = bench::numbers(sizes, 3);
  const auto heads = static_cast<double>(sizes[0]), length = static_cast<double>(sizes[1]),
             width = static_cast<double>(sizes[2]);
  const bench::Work work{bench::bytes_of(q, k, v, q), 2 * heads * width * length * (length + 1)};
  bench::Match(report, peer, "causal", sizes, work).run([&] {
    return [&, f = sinter::compile([](const Tensor& a, const Tensor& b, const Tensor& c) {
                 return sinter::scaled_dot_product_attention(a, b, c, {.causal = true});
               })] { bench::keep(f(q, k, v)); };
  });
}

}  // namespace

int main() {
  const bench::Report report("attention");
  bench::Peer peer(SINTER_BENCH_DIR "/attention/torch_peer.py");
  measure(report, peer, {8, 512, 64});
  measure(report, peer, {8, 2048, 64});
  measure(report, peer, {bench::draw(2, 12), bench::draw(100, 1000), bench::draw(2, 8) * 16});
}
