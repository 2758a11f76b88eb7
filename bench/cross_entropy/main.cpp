// The loss of a language model: cross_entropy of (2048, 32000) logits, its value and its gradient.

#include "by_hand.hpp"
#include "comparison.hpp"

namespace {

using bench::Sizes;
using sinter::Tensor;

Tensor loss(const Tensor& logits, const Tensor& target) {
  return sinter::cross_entropy(logits, target);
}

void measure(const bench::Report& report, bench::Peer& peer, const Sizes& sizes) {
  const auto rows = static_cast<std::size_t>(sizes[0]),
             columns = static_cast<std::size_t>(sizes[1]);
  const Tensor logits = bench::numbers(sizes), gradient = bench::numbers(sizes);
  std::vector<std::int64_t> words(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    words[i] = static_cast<std::int64_t>(i * 7919 % columns);
  }
  const Tensor target = sinter::from_vector(words, {sizes[0]});
  const std::vector<float> losses(rows);
  const auto* const x = logits.data<float>();
  auto* const out = const_cast<float*>(gradient.data<float>());
  auto* const each = const_cast<float*>(losses.data());
  bench::Match(report, peer, "value_and_grad", sizes, {bench::bytes_of(logits, gradient), 0})
      .run(
          [&] {
            return [&, f = sinter::compile(sinter::value_and_grad(loss))] {
              bench::keep(f(logits, target));
            };
          },
          rows,
          [=, &words](std::size_t begin, std::size_t end) {
            cross_entropy_by_hand(x, words.data(), each, out, begin, end, rows, columns);
          });
}

}  // namespace

int main() {
  const bench::Report report("cross_entropy");
  bench::Peer peer(SINTER_BENCH_DIR "/cross_entropy/torch_peer.py");
  measure(report, peer, {2048, 32000});
  measure(report, peer, {bench::draw(200, 1000), bench::draw(5000, 50000)});
}
