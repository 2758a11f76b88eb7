// Parameters of a layer are gathered while the layer before computes.

#include <doctest/doctest.h>

#include <sinter/runtime/host/profiler.hpp>

#include <sinter/dist/parallel/prefetch.hpp>

#include "../world.hpp"

using namespace sinter;
using namespace ranks;

namespace {

struct Deep {
  nn::Linear a{64, 64}, b{64, 64}, c{64, 64};
  SINTER_MODULE(Deep, a, b, c)
  Tensor forward(const Tensor& x) const { return tanh(c(tanh(b(tanh(a(x)))))); }
};

Tensor step(Deep& model, optim::SGD& optimizer, const Tensor& x) {
  auto [loss, gradients] = value_and_grad(model, [&] { return mean(square(model(x))); });
  dist::all_reduce(gradients);
  optimizer.step(model, gradients);
  return loss;
}

}  // namespace

TEST_CASE("prefetch: the next layer is gathered before this one computes, forward and backward" *
          doctest::test_suite("host: its launches")) {
  world();
  random::manual_seed(2);
  Deep model, whole = model;
  optim::SGD optimizer{.learning_rate = 0.1f}, alone = optimizer;
  dist::shard(model, optimizer, dist::Shard::parameters);
  const auto run = compile(step, {.fullgraph = true});
  const Tensor x = elements({16, 64}, 0);
  run(model, optimizer, x), step(whole, alone, x);
  auto& profiler = detail::runtime::KernelProfiler::process();
  REQUIRE(profiler.start());
  run(model, optimizer, x);
  const detail::runtime::KernelTrace trace = profiler.stop();
  std::string order;  // s: starts a layer, w: waits for it, k: a kernel, r: reduces gradients
  for (const auto& one : trace.runs) {
    const auto is = [&](const char* word) { return one.kernel.find(word) != std::string::npos; };
    if (is("of a parameter") || is("dist::all_gather")) continue;  // in the background; of biases
    order += is("start_all_gather") ? 's' : is("wait_all_gather") ? 'w' : is("dist::") ? 'r' : 'k';
  }
  CAPTURE(order);
  std::string layers = order;
  std::erase_if(layers, [](char one) { return one == 'k' || one == 'r'; });
  CHECK(layers == "swswswswsw");  // one is ahead, not more; two of them are gathered again
  CHECK(order.find("wsk") != std::string::npos);  // the next one starts, then this one computes
  CHECK(order.find("wsk", order.find('r') + 1) != std::string::npos);  // in the backward pass, too
  step(whole, alone, x);
  CHECK(difference(dist::gathered(model).b.weight, whole.b.weight) < 1e-6);
}
