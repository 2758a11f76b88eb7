// Elementwise chains over 64 KiB to 256 MiB of floats: in the caches, and bound by memory.
//   multiply_adds   v = v * y + x, eight times
//   two_products    (x*y+x)*y
// By hand: from 4 MiB of results on the faster of loops with plain and with non-temporal stores.
// Below that, only plain stores: a reader of the result wants it in the caches, although the loop
// alone would be faster with non-temporal stores.

#include "by_hand.hpp"
#include "comparison.hpp"

namespace {

using sinter::Tensor;

using Loop = void (*)(const float*, const float*, float*, std::size_t, std::size_t, bool);

// Whether non-temporal stores are faster.
bool streams(Loop loop, const float* x, const float* y, float* out, std::size_t count) {
  if (count * sizeof(float) < (std::size_t{4} << 20)) return false;
  const auto seconds = [&](bool past) {
    return bench::median_of(bench::sample_of([=] { loop(x, y, out, 0, count, past); }), 5);
  };
  return seconds(true) < seconds(false);
}

void measure(const bench::Report& report, bench::Peer& peer, std::int64_t size) {
  const bench::Sizes sizes{size};
  const Tensor x = bench::numbers(sizes), y = bench::numbers(sizes, 2);
  const Tensor out = bench::numbers(sizes);  // its memory is what by hand writes
  const auto count = static_cast<std::size_t>(size);
  const auto run = [&](const std::string& name, auto function, Loop loop) {
    const float *const first = x.data<float>(), *const second = y.data<float>();
    auto* const to = const_cast<float*>(out.data<float>());
    const bool past = streams(loop, first, second, to, count);
    bench::Match(report, peer, name, sizes, {bench::bytes_of(x, y, out), 0})
        .run(
            [&] { return [&, f = sinter::compile(function)] { bench::keep(f(x, y)); }; }, count,
            [=](std::size_t begin, std::size_t end) { loop(first, second, to, begin, end, past); });
  };
  run(
      "multiply_adds",
      [](const Tensor& a, const Tensor& b) {
        Tensor value = a;
        for (int i = 0; i < 8; ++i) value = value * b + a;
        return value;
      },
      multiply_adds);
  run(
      "two_products", [](const Tensor& a, const Tensor& b) { return (a * b + a) * b; },
      two_products);
}

}  // namespace

int main() {
  const bench::Report report("chain");
  bench::Peer peer(SINTER_BENCH_DIR "/chain/torch_peer.py");
  for (const std::int64_t kibi : {16, 256, 4 << 10, 16 << 10, 64 << 10}) {
    measure(report, peer, kibi << 10);
  }
  measure(report, peer, bench::draw(1 << 12, 1 << 23) * 16);
}
