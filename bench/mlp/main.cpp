// The feed-forward block of a transformer: x + (gelu(x @ up + a) @ down + b), with a hidden layer
// four times as wide.

#include "comparison.hpp"

namespace {

using bench::Sizes;
using sinter::Tensor;

Tensor block(const Tensor& x, const Tensor& up, const Tensor& a, const Tensor& down,
             const Tensor& b) {
  return x + (matmul(gelu(matmul(x, up) + a), down) + b);
}

void measure(const bench::Report& report, bench::Peer& peer, const Sizes& sizes) {
  const std::int64_t rows = sizes[0], width = sizes[1], wide = 4 * width;
  const Tensor x = bench::numbers(sizes);
  const Tensor up = bench::numbers({width, wide}, 2), a = bench::numbers({wide}, 3);
  const Tensor down = bench::numbers({wide, width}, 4), b = bench::numbers({width}, 5);
  const bench::Work work{bench::bytes_of(x, up, down, x),
                         4.0 * static_cast<double>(rows * width * wide)};
  bench::Match(report, peer, "block", sizes, work).run([&] {
    return [&, f = sinter::compile(block)] { bench::keep(f(x, up, a, down, b)); };
  });
}

}  // namespace

int main() {
  const bench::Report report("mlp");
  bench::Peer peer(SINTER_BENCH_DIR "/mlp/torch_peer.py");
  measure(report, peer, {2048, 512});
  measure(report, peer, {bench::draw(100, 2000), bench::draw(100, 700)});
}
