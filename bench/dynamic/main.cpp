// One graph for all lengths, against one graph for each length: the cost of symbolic sizes.
//   softmax       of (length, 512)
//   block         a block of a transformer of width 256, of (2, length, 256)
//   mlp           the feed-forward block, of (length, 256)

#include "comparison.hpp"

namespace {

using bench::Sizes;
using sinter::Tensor;
using Layer = sinter::nn::TransformerEncoderLayer;

// `function` compiled for the shape of `x` only, and for all lengths along `axis`.
template <class Function>
void measure(const bench::Report& report, const std::string& name, const Function& function,
             const Tensor& x, int axis) {
  const std::string size = name + " " + std::to_string(x.size(axis).value());
  Tensor marked = x;
  sinter::mark_dynamic(marked, axis, {.min = 1});
  for (const int threads : {1, sinter::detail::runtime::num_threads()}) {
    sinter::set_num_threads(threads);
    auto any = sinter::compile(function);
    auto fixed = sinter::compile(function, {.dynamic = sinter::Dynamic::off});
    auto dynamic = bench::sample_of([&] { bench::keep(any(marked)); });
    auto own = bench::sample_of([&] { bench::keep(fixed(x)); });
    report.add(size, threads, bench::compare(dynamic, own, bench::pairs_for(own())), "static graph",
               0.95);
    sinter::set_num_threads(0);
  }
}

struct Mlp {
  sinter::nn::Linear up{256, 1024}, down{1024, 256};
  SINTER_MODULE(Mlp, up, down)
  Tensor forward(const Tensor& x) const { return x + down(sinter::gelu(up(x))); }
};

}  // namespace

int main() {
  const bench::Report report("dynamic");
  const Layer layer(256, 8,
                    {.dim_feedforward = 1024,
                     .dropout = 0,
                     .activation = sinter::nn::Activation::gelu,
                     .batch_first = true,
                     .norm_first = true});
  const Mlp mlp;
  for (const std::int64_t length : {std::int64_t{128}, bench::draw(20, 600)}) {
    measure(
        report, "softmax", [](const Tensor& x) { return sinter::softmax(x, -1); },
        bench::numbers({length, 512}), 0);
    measure(report, "mlp", mlp, bench::numbers({length, 256}), 0);
    measure(report, "block", layer, bench::numbers({2, length, 256}), 1);
  }
}
