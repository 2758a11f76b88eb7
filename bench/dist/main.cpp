// The time of collectives, and of a training step whose gradients are shared: mpirun -n 2
// bench_dist. gloo.py does the same with torch.distributed; ./run runs both in turn.

#include <sinter/dist.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

using namespace sinter;

namespace {

double seconds_now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

// The median time of a call, in seconds.
template <class Body>
double median(int calls, const Body& body) {
  std::vector<double> times;
  for (int i = 0; i < calls + 2; ++i) {
    dist::barrier();
    const double begin = seconds_now();
    body();
    if (i >= 2) times.push_back(seconds_now() - begin);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

struct Block {
  nn::TransformerEncoderLayer layer{
      256, 4, {.dim_feedforward = 1024, .dropout = 0, .batch_first = true, .norm_first = true}};
  SINTER_MODULE(Block, layer)
  Tensor forward(const Tensor& x) const { return layer(x); }
};

Tensor step(Block& model, optim::SGD& optimizer, const Tensor& x, bool shares) {
  auto [loss, gradients] = value_and_grad(model, [&] { return mean(square(model(x))); });
  if (shares) dist::all_reduce(gradients);
  optimizer.step(model, gradients);
  return loss;
}

}  // namespace

int main() {
  const dist::World world;
  const auto show = [&](const char* what, double seconds) {
    if (world.rank() == 0) std::printf("sinter  %-28s %10.1f us\n", what, seconds * 1e6);
  };
  const std::vector<std::pair<const char*, int>> sizes{{"all_reduce of 1 KB", 256},
                                                       {"all_reduce of 1 MB", 1 << 18},
                                                       {"all_reduce of 100 MB", 25 << 20}};
  for (const auto& [name, count] : sizes) {
    const Tensor x = full({count}, 1.0f);
    x.data<float>();
    show(name, median(count > 1 << 20 ? 5 : 50, [&] { dist::all_reduce(x).data<float>(); }));
  }
  random::manual_seed(0);
  Block model;
  optim::SGD optimizer{.learning_rate = 1e-3f};
  const Tensor x = randn({8, 64, 256});
  const auto run = compile(step, {.fullgraph = true});
  const auto timed = [&](bool shares) {
    return median(10, [&] { run(model, optimizer, x, shares).item<float>(); });
  };
  show("step of a block, alone", timed(false));
  show("step of a block, shared", timed(true));
}
