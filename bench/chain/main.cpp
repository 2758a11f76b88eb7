// Elementwise chains over 64 KiB to 256 MiB of floats: in the caches, and bounded by memory.
//   8 multiply-adds   v = v * y + x, eight times
//   (x*y+x)*y         two products
// By hand: the faster of the loops with plain and with streaming stores.

#include <sinter/sinter.hpp>

#include "by_hand.hpp"
#include "measure.hpp"
#include "peer.hpp"
#include "report.hpp"
#include "share.hpp"

namespace {

using sinter::Tensor;

using Loop = void (*)(const float*, const float*, float*, std::size_t, std::size_t, bool);

struct Data {
  explicit Data(std::size_t n) : count(n) {}

  std::size_t count;
  std::vector<float> x = std::vector<float>(count, 0.5f), y = std::vector<float>(count, 0.25f);
  Tensor xs = sinter::from_vector(x, {count}), ys = sinter::from_vector(y, {count});
  Tensor out = sinter::from_vector(x, {count});  // its memory is what by hand writes
};

// Seconds of a call with the better kind of store.
auto by_hand(Loop loop, const Data& data, int threads) {
  const auto run = [=, count = data.count, x = data.xs.data<float>(), y = data.ys.data<float>(),
                    out = const_cast<float*>(data.out.data<float>())](bool streams) {
    bench::share(count, threads,
                 [=](std::size_t begin, std::size_t end) { loop(x, y, out, begin, end, streams); });
  };
  const double plain = bench::median_of(bench::sample_of([=] { run(false); }), 5);
  const double streamed = bench::median_of(bench::sample_of([=] { run(true); }), 5);
  return bench::sample_of([=, streams = streamed < plain] { run(streams); });
}

// "8 multiply-adds 64Mi"
std::string name_of(const std::string& function, std::size_t count) {
  const bool large = count >= (std::size_t{1} << 20);
  return function + " " + std::to_string(count >> (large ? 20 : 10)) + (large ? "Mi" : "Ki");
}

template <class Function>
void measure(const bench::Report& report, bench::Peer& peer, const std::string& function_name,
             const Data& data, Function function, Loop loop) {
  const std::string name = name_of(function_name, data.count);
  for (const int threads : {1, sinter::runtime::num_threads()}) {
    sinter::set_num_threads(threads);
    auto compiled = sinter::compile(function);
    auto sample = bench::sample_of([&] { bench::keep(compiled(data.xs, data.ys)); });
    report.add(name, threads, bench::compare(sample, by_hand(loop, data, threads)), "by hand", 0.9);
    for (const std::string kind : {"eager", "compile"}) {
      if (!peer.prepare(kind + " " + name, threads)) continue;
      report.add(name, threads, bench::compare(sample, peer), "torch " + kind, 1);
    }
    sinter::set_num_threads(0);
  }
}

}  // namespace

int main() {
  const bench::Report report("chain");
  bench::Peer peer(SINTER_BENCH_DIR "/chain/torch_peer.py");
  for (const std::size_t kibi : {16, 256, 4 << 10, 16 << 10, 64 << 10}) {
    const Data data(kibi << 10);
    measure(
        report, peer, "8 multiply-adds", data,
        [](const Tensor& x, const Tensor& y) {
          Tensor value = x;
          for (int i = 0; i < 8; ++i) value = value * y + x;
          return value;
        },
        multiply_adds);
    measure(
        report, peer, "(x*y+x)*y", data,
        [](const Tensor& x, const Tensor& y) { return (x * y + x) * y; }, two_products);
  }
}
