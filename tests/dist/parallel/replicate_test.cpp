// The state of rank 0 on all ranks.

#include <doctest/doctest.h>

#include "../world.hpp"

using namespace sinter;
using namespace ranks;

namespace {

struct Net {
  nn::Linear in{3, 4};
  nn::BatchNorm1d norm{4};
  SINTER_MODULE(Net, in, norm)
  Tensor forward(const Tensor& x) { return norm(in(x)); }
};

}  // namespace

TEST_CASE("broadcast: parameters and buffers of a model") {
  world();
  random::manual_seed(static_cast<std::uint64_t>(rank()) + 1);
  Net model;
  model(elements({5, 3}));
  const int root = size() - 1;
  const Tensor weight = dist::broadcast(model.in.weight, root);
  const Tensor mean = dist::broadcast(*model.norm.running_mean, root);
  dist::broadcast(model, root);
  CHECK(difference(model.in.weight, weight) == 0);
  CHECK(difference(*model.norm.running_mean, mean) == 0);
  CHECK(model.norm.num_batches_tracked->value.item<std::int64_t>() == 1);
}

TEST_CASE("broadcast: buffers in a compiled step, of which parameters stay") {
  world();
  Net model;
  model.in.weight = elements({4, 3});
  const auto run = compile(
      [](Net& net, const Tensor& x) {
        const Tensor y = net(x);
        dist::broadcast_buffers(net);
        return y;
      },
      {.fullgraph = true});
  for (int i = 0; i < 2; ++i) {
    run(model, elements({5, 3}));
    const Tensor means = dist::all_gather(unsqueeze(model.norm.running_mean->value, 0));
    for (int other = 0; other < size(); ++other) CHECK(difference(means[other], means[0]) == 0);
    CHECK(max(abs(means)).item<float>() > 0.01f);
  }
  CHECK(difference(model.in.weight, elements({4, 3})) == 0);
}

TEST_CASE("broadcast: parts of a sharded model stay") {
  world();
  Net model;
  optim::SGD optimizer;
  dist::shard(model, optimizer, dist::Shard::parameters);
  const Net before = dist::gathered(model);
  dist::broadcast(model);
  CHECK(difference(dist::gathered(model).in.weight, before.in.weight) == 0);
}
