// Row functions as they occur in models, forward and backward: losses, norms and gelu.

#include "by_hand.hpp"
#include "comparison.hpp"

namespace {

using bench::Sizes;
using sinter::Tensor;

Tensor loss(const Tensor& x, const Tensor& target) {
  return sinter::nll_loss(sinter::log_softmax(x, -1), target);
}

Tensor block(const Tensor& x, const Tensor& residual, const Tensor& weight, const Tensor& bias) {
  return sinter::layer_norm(sinter::gelu(x) + residual, weight, bias);
}

Tensor digits(std::int64_t rows, std::int64_t columns) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<std::int64_t>(i * 7919) % columns;
  }
  return sinter::from_vector(values, {rows});
}

void forward(const bench::Report& report, bench::Peer& peer, const Sizes& sizes) {
  const Tensor x = bench::numbers(sizes), weight = bench::numbers({sizes[1]}, 2);
  const Tensor out = bench::numbers(sizes);  // its memory is what by hand writes
  const auto rows = static_cast<std::size_t>(sizes[0]),
             columns = static_cast<std::size_t>(sizes[1]);
  const float *const from = x.data<float>(), *const scale = weight.data<float>();
  auto* const to = const_cast<float*>(out.data<float>());

  const auto norm = [&] {
    return [&, f = sinter::compile([](const Tensor& a, const Tensor& b) {
                 return sinter::rms_norm(a, b);
               })] { bench::keep(f(x, weight)); };
  };
  bench::Match(report, peer, "rms_norm", sizes, {bench::bytes_of(x, x), 0})
      .run(norm, rows, [=](std::size_t begin, std::size_t end) {
        rms_norm_by_hand(from, scale, to, begin, end, columns);
      });

  const auto gelu = [&] {
    return [&, f = sinter::compile([](const Tensor& a) { return sinter::gelu(a); })] {
      bench::keep(f(x));
    };
  };
  bench::Match(report, peer, "gelu", sizes, {bench::bytes_of(x, x), 0}).run(gelu);
}

void backward(const bench::Report& report, bench::Peer& peer, const Sizes& sizes) {
  const Tensor x = bench::numbers(sizes), residual = bench::numbers(sizes, 3);
  const Tensor weight = bench::numbers({sizes[1]}, 2), bias = bench::numbers({sizes[1]}, 4);
  const Tensor target = digits(sizes[0], sizes[1]);

  bench::Match(report, peer, "nll_loss", sizes, {bench::bytes_of(x), 0}).run([&] {
    return [&, f = sinter::compile(loss)] { bench::keep(f(x, target)); };
  });
  bench::Match(report, peer, "nll_loss_backward", sizes, {bench::bytes_of(x, x), 0}).run([&] {
    return [&, f = sinter::compile(sinter::grad(loss))] { bench::keep(f(x, target)); };
  });
  const auto gradients = [](const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& d,
                            const Tensor& upstream) {
    auto [result, pull] = sinter::vjp(block, a, b, c, d);
    return pull(upstream);
  };
  bench::Match(report, peer, "norm_gelu_backward", sizes,
               {bench::bytes_of(x, residual, residual, x, residual), 0})
      .run([&, gradients] {
        return [&, f = sinter::compile(gradients)] {
          bench::keep(f(x, residual, weight, bias, residual));
        };
      });
}

}  // namespace

int main() {
  const bench::Report report("rows");
  bench::Peer peer(SINTER_BENCH_DIR "/rows/torch_peer.py");
  const Sizes drawn{bench::draw(500, 5000), bench::draw(100, 3000)};
  for (const Sizes& sizes : {Sizes{4096, 1024}, drawn}) {
    forward(report, peer, sizes);
    backward(report, peer, sizes);
  }
}
