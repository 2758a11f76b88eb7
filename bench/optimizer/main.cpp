// An update of 200 small parameters of different shapes by AdamW, SGD with momentum and Lion: the
// overhead per parameter exceeds the arithmetic.

#include "comparison.hpp"

namespace {

using sinter::Tensor;

struct Parameters {
  std::vector<Tensor> values{};
  SINTER_MODULE(Parameters, values)
};

// The same shapes as in torch_peer.py.
sinter::Shape shape_of(std::int64_t i, std::int64_t width) {
  if (i % 5 == 0) return {1 + i % 13};
  return {3 + i % 7, width + i % 11};
}

template <class Optimizer>
void measure(const bench::Report& report, bench::Peer& peer, const std::string& name,
             const bench::Sizes& sizes, Optimizer optimizer, double states) {
  Parameters parameters;
  std::vector<std::pair<std::string, Tensor>> list;
  double bytes = 0;
  for (std::int64_t i = 0; i < sizes[0]; ++i) {
    const auto numbers = [&] {
      Tensor result = sinter::randn(shape_of(i, sizes[1]));
      sinter::detail::evaluate(result);
      return result;
    };
    parameters.values.push_back(numbers());
    list.emplace_back("values." + std::to_string(i), numbers());
    bytes += bench::bytes_of(list.back().second);
  }
  const sinter::Gradients gradients(list);
  const auto step = [](Parameters& model, Optimizer& rule, const sinter::Gradients& all) {
    rule.step(model, all);
  };
  // The gradient is read; the parameter and each state are read and written.
  bench::Match(report, peer, name, sizes, {bytes * (3 + 2 * states), 0},
               {.peers = {"eager", "fused", "compile"}, .of_peers = 3})
      .run([&] { return [&, f = sinter::compile(step)] { f(parameters, optimizer, gradients); }; });
}

}  // namespace

int main() {
  const bench::Report report("optimizer");
  bench::Peer peer(SINTER_BENCH_DIR "/optimizer/torch_peer.py");
  for (const bench::Sizes& sizes :
       {bench::Sizes{200, 5}, bench::Sizes{bench::draw(100, 300), bench::draw(5, 100)}}) {
    measure(report, peer, "adamw", sizes, sinter::optim::AdamW{}, 2);
    measure(report, peer, "sgd", sizes, sinter::optim::SGD{.momentum = 0.9}, 1);
    measure(report, peer, "lion", sizes, sinter::optim::Lion{}, 1);
  }
}
