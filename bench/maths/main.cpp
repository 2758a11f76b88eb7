// Mathematical functions of 16 Ki numbers, f32 and f64, which fit in the second-level cache.

#include "by_hand.hpp"
#include "comparison.hpp"

namespace {

using bench::Sizes;
using sinter::Tensor;

using Function = Tensor (*)(const Tensor&);

// In the order of loops_by_hand.
const Function functions[function_count] = {
    [](const Tensor& x) { return sinter::exp(x); },
    [](const Tensor& x) { return sinter::expm1(x); },
    [](const Tensor& x) { return sinter::log(x); },
    [](const Tensor& x) { return sinter::log1p(x); },
    [](const Tensor& x) { return sinter::sin(x); },
    [](const Tensor& x) { return sinter::cos(x); },
    [](const Tensor& x) { return sinter::tanh(x); },
    [](const Tensor& x) { return sinter::atan(x); },
    [](const Tensor& x) { return sinter::erf(x); },
    [](const Tensor& x) { return sinter::sqrt(x); },
    [](const Tensor& x) { return sinter::pow(x, x); },
    [](const Tensor& x) { return sinter::sigmoid(x); },
};

template <class T>
void measure(const bench::Report& report, bench::Peer& peer, const std::string& name,
             Function function, Loop<T> loop) {
  const Sizes sizes{16384};
  const sinter::DType dtype = sizeof(T) == 4 ? sinter::f32 : sinter::f64;
  const Tensor x = (bench::numbers(sizes) + 1.25f).to(dtype);
  const Tensor out = bench::numbers(sizes).to(dtype);  // its memory is what by hand writes
  const T* const from = x.data<T>();
  auto* const to = const_cast<T*>(out.data<T>());
  bench::Match(report, peer, name, sizes, {bench::bytes_of(x, out), 0})
      .run([&] { return [&, f = sinter::compile(function)] { bench::keep(f(x)); }; }, 16384,
           [=](std::size_t begin, std::size_t end) { loop(from, to, begin, end); });
}

}  // namespace

int main() {
  const bench::Report report("maths");
  bench::Peer peer(SINTER_BENCH_DIR "/maths/torch_peer.py");
  for (std::size_t i = 0; i < function_count; ++i) {
    const Loops& loops = loops_by_hand[i];
    const std::string name = loops.name;
    measure<float>(report, peer, name + "_f32", functions[i], loops.single);
    measure<double>(report, peer, name + "_f64", functions[i], loops.wide);
  }
}
