// test: moved
// Sharded training equals data parallel training, with a part of the state on each rank.

#include <doctest/doctest.h>

#include "../../message_of.hpp"
#include "../world.hpp"

using namespace sinter;
using namespace ranks;

namespace {

struct Net {
  nn::Linear in{6, 23}, out{23, 3};  // no number of ranks divides all of them
  SINTER_MODULE(Net, in, out)
  Tensor forward(const Tensor& x) const { return out(gelu(in(x))); }
};

// One step of data parallel training, sharded or not.
template <class Optimizer>
Tensor step(Net& model, Optimizer& optimizer, const Tensor& x, const Tensor& target) {
  auto [loss, gradients] = value_and_grad(model, [&] { return cross_entropy(model(x), target); });
  dist::all_reduce(gradients);
  clip_grad_norm(gradients, 0.05f);
  optimizer.step(model, gradients);
  return loss;
}

// The number of elements of a part.
std::int64_t part(std::int64_t elements) { return (elements + size() - 1) / size(); }

template <class Optimizer, class State>
void equals_whole(const Optimizer& optimizer, dist::Shard what, bool compiles, State state_of) {
  CAPTURE(static_cast<int>(what));
  CAPTURE(compiles);
  random::manual_seed(3);
  Net whole, sharded;
  sharded = whole;
  if (rank() != 0) sharded.in.weight = zeros({23, 6});  // shard() takes those of rank 0
  Optimizer first = optimizer, second = optimizer;
  dist::shard(sharded, second, what);
  const Tensor x = elements({8, 6});
  const Tensor target = argmax(x, -1) % 3;
  const auto run = compile(step<Optimizer>, {.fullgraph = true});
  for (int i = 0; i < 6; ++i) {
    const Tensor expected = step(whole, first, x, target);
    const Tensor loss =
        compiles ? run(sharded, second, x, target) : step(sharded, second, x, target);
    REQUIRE(difference(loss, expected) < 1e-6);
  }
  CHECK(state_of(second).at("in.weight").numel() == part(23 * 6));
  CHECK(state_of(second).at("out.bias").numel() == part(3));
  const bool is_divided = what == dist::Shard::parameters && size() > 1;
  CHECK(sharded.in.weight.numel() == (is_divided ? part(23 * 6) : 23 * 6));
  const Net gathered = dist::gathered(sharded);
  CHECK(difference(gathered.in.weight, whole.in.weight) < 1e-5);
  CHECK(difference(*gathered.out.bias, *whole.out.bias) < 1e-5);
}

constexpr int layers = 8, width = 253;  // no number of ranks but 1 divides its square

struct Deep {
  std::vector<nn::Linear> list;
  SINTER_MODULE(Deep, list)

  Deep() {
    for (int i = 0; i < layers; ++i) list.emplace_back(width, width);
  }
  Tensor forward(Tensor x) const {
    for (const nn::Linear& layer : list) x = tanh(layer(x));
    return x;
  }
};

Tensor deep_step(Deep& model, optim::AdamW& optimizer, const Tensor& x) {
  auto [loss, gradients] = value_and_grad(model, [&] { return mean(square(model(x))); });
  dist::all_reduce(gradients);
  optimizer.step(model, gradients);
  return loss;
}

// The peak memory of the fourth step divided by the bytes of the parameters: all state,
// intermediates and the memory of collectives.
double peak(int what) {
  const Unchecked unchecked;
  const Tensor x = elements({4, width});
  const std::int64_t before = memory_stats().live_bytes;
  Deep model;
  optim::AdamW optimizer;
  const auto bytes = static_cast<double>(4 * nn::parameter_count(model));
  dist::shard(model, optimizer, static_cast<dist::Shard>(what));
  const auto run = compile(deep_step, {.fullgraph = true});
  for (int i = 0; i < 3; ++i) run(model, optimizer, x).to_vector<float>();
  reset_memory_stats();
  run(model, optimizer, x).to_vector<float>();
  return static_cast<double>(memory_stats().peak_bytes - before) / bytes;
}

}  // namespace

TEST_CASE("shard: losses and parameters are those of data parallel training") {
  world();
  for (const auto what :
       {dist::Shard::optimizer, dist::Shard::gradients, dist::Shard::parameters}) {
    equals_whole(optim::AdamW{.learning_rate = 1e-2f}, what, true,
                 [](const auto& optimizer) { return optimizer.means; });
    equals_whole(optim::SGD{.learning_rate = 1e-1f, .momentum = 0.9}, what,
                 what != dist::Shard::optimizer,
                 [](const auto& optimizer) { return optimizer.sums; });
  }
}

TEST_CASE("shard: an optimizer that has made steps, and sums of gradients") {
  world();
  Net model;
  optim::AdamW optimizer{.learning_rate = 1e-2f};
  const Tensor x = elements({8, 6}), target = argmax(x, -1) % 3;
  step(model, optimizer, x, target);
  const Tensor means = optimizer.means.at("in.weight");
  dist::shard(model, optimizer, dist::Shard::parameters);
  CHECK(optimizer.means.at("in.weight").numel() == part(23 * 6));
  const Tensor row = dist::all_gather(optimizer.means.at("in.weight"))[Slice{0, 23 * 6}];
  CHECK(difference(row, flatten(means)) == 0);
  const auto closure = [&] { return cross_entropy(model(x), target); };
  Gradients sum = zero_gradients(model);
  for (int i = 0; i < 2; ++i) sum += value_and_grad(model, closure).gradients;
  dist::all_reduce(sum);
  CHECK(sum["in.weight"].numel() == part(23 * 6));
  optimizer.step(model, sum);
  CHECK(dist::gathered(model).in.weight.ndim() == 2);
}

TEST_CASE("shard: mistakes are answered on every rank") {
  Net model;
  optim::SGD sgd;
  dist::shard(model, sgd, dist::Shard::gradients);
  using errors::message_of;
  const auto again = [&] { dist::shard(model, sgd, dist::Shard::gradients); };
  CHECK(message_of<ValueError>(again).find("sharded already") != std::string::npos);
  const dist::Group alone = world().split(rank());
  auto [loss, gradients] = value_and_grad(model, [&] { return mean(model(ones({2, 6}))); });
  const auto elsewhere = [&, &g = gradients] { dist::all_reduce(g, dist::Reduce::mean, alone); };
  CHECK(message_of<ValueError>(elsewhere).find("another group of ranks") != std::string::npos);
  const auto records = compile([](Net& net, const Tensor& x) {
    optim::SGD other;
    dist::shard(net, other, dist::Shard::optimizer);
    return net(x);
  });
  Net fresh;
  const auto recorded = [&] { records(fresh, ones({2, 6})); };
  CHECK(message_of<ValueError>(recorded).find("before the compiled function") != std::string::npos);
}

TEST_CASE("shard: a rank needs a part of what is sharded, and the rest" *
          doctest::test_suite("host: its memory")) {
  world();
  if (size() == 3) return;  // memory is counted in blocks, which a third of a layer does not fill
  const double parts = 1.0 / size(), layer = 1.0 / layers;
  const double activations = 2 * 4.0 / width;  // and their gradients
  const auto within = [&](int what, double expected) {
    const double found = peak(what);
    CAPTURE(what);
    INFO("found " << found << ", expected " << expected);
    CHECK(found < 1.05 * expected);
  };
  // In flight: the new parts, and what the all_reduce of a bucket of 5 layers receives.
  within(1, 2 + 3 * parts + activations + 5 * layer);
  // In flight: a gradient, the same with zeros behind it, and what a reduce_scatter receives.
  within(2, 1 + 3 * parts + activations + 3 * layer);
  // And the next layer.
  within(3, 4 * parts + activations + 4 * layer);
}
