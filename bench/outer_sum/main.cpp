// sum(x[:, :, None] * y[:, None, :]) over the last two axes: the intermediate product, (1024, 64,
// 64) in f64, need not be stored.

#include "by_hand.hpp"
#include "comparison.hpp"

namespace {

using bench::Sizes;
using sinter::Tensor;

void measure(const bench::Report& report, bench::Peer& peer, const Sizes& sizes) {
  const Tensor x = bench::numbers(sizes).to(sinter::f64),
               y = bench::numbers(sizes, 2).to(sinter::f64);
  const auto rows = static_cast<std::size_t>(sizes[0]),
             columns = static_cast<std::size_t>(sizes[1]);
  const std::vector<double> sums(rows);
  const double *const first = x.data<double>(), *const second = y.data<double>();
  auto* const to = const_cast<double*>(sums.data());
  bench::Match(report, peer, "outer_sum", sizes, {bench::bytes_of(x, y), 0})
      .run(
          [&] {
            return [&, f = sinter::compile([](const Tensor& a, const Tensor& b) {
                         return sinter::sum(unsqueeze(a, 2) * unsqueeze(b, 1), {-2, -1});
                       })] { bench::keep(f(x, y)); };
          },
          rows,
          [=](std::size_t begin, std::size_t end) {
            outer_sum_by_hand(first, second, to, begin, end, columns);
          });
}

}  // namespace

int main() {
  const bench::Report report("outer_sum");
  bench::Peer peer(SINTER_BENCH_DIR "/outer_sum/torch_peer.py");
  measure(report, peer, {1024, 64});
  measure(report, peer, {bench::draw(300, 3000), bench::draw(20, 200)});
}
