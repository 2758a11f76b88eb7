// A model whose parameters, gradients and moments are divided among processes, layers that compute
// in parallel, and a batch norm over all of them: mpirun -n 4 example_sharded
#include <sinter/sinter.hpp>

#include <sinter/dist.hpp>

#include <cmath>
#include <cstdio>

using namespace sinter;

struct Net {
  nn::Linear in{6, 64}, out{64, 3};
  SINTER_MODULE(Net, in, out)
  Tensor forward(const Tensor& x) const { return out(gelu(in(x))); }
};

struct Training {
  Net net;
  optim::AdamW optimizer{.learning_rate = 1e-2f};
  SINTER_MODULE(Training, net, optimizer)
};

Tensor train_step(Training& training, const Tensor& x, const Tensor& target) {
  Net& net = training.net;
  auto [loss, gradients] = value_and_grad(net, [&] { return cross_entropy(net(x), target); });
  dist::all_reduce(gradients);
  training.optimizer.step(net, gradients);
  return loss;
}

// A block whose weights are divided: columns, then rows.
struct Block {
  dist::SelfAttention attention;
  dist::ColumnLinear in;
  dist::RowLinear out;
  SINTER_MODULE(Block, attention, in, out)

  Block(int width, dist::Group ranks)
      : attention(width, 12, {}, ranks),
        in(width, 4 * width, {}, ranks),
        out(4 * width, width, {}, ranks) {}
  Tensor forward(const Tensor& x) const {
    const Tensor y = x + attention(x);
    return y + out(gelu(in(y)));
  }
};

int main() {
  const dist::World world;
  random::manual_seed(1);
  Training training;
  dist::shard(training.net, training.optimizer, dist::Shard::parameters);

  const Tensor x = randn({32, 6}), target = argmax(x, -1) % 3;
  auto step = compile(train_step);
  const float before = step(training, x, target).item<float>();
  for (int i = 0; i < 50; ++i) step(training, x, target);
  dist::save("sharded", training);  // whole tensors, for any number of processes

  Training fresh;
  dist::shard(fresh.net, fresh.optimizer, dist::Shard::optimizer);  // divided in another way
  dist::load("sharded", fresh);
  const float after = step(fresh, x, target).item<float>();
  const Net whole = dist::gathered(fresh.net);  // to evaluate it

  const dist::Mesh mesh{{"data", -1}, {"model", world.size() % 2 == 0 ? 2 : 1}};
  const Block block(24, mesh["model"]);
  auto forward = compile([](const Block& given, const Tensor& tokens) { return given(tokens); });
  const Tensor y = forward(block, randn({2, 5, 24}));

  nn::SyncBatchNorm norm(6);  // statistics over the rows of all ranks
  const Tensor normal = norm(randn({4 + world.rank(), 6}));
  const float total = dist::all_reduce(sum(normal)).item<float>();

  const bool right = after < 0.5f * before && whole.in.weight.ndim() == 2 &&
                     std::isfinite(sum(y).item<float>()) && std::abs(total) < 1e-3f;
  if (world.rank() == 0) std::printf("loss %.3f, then %.3f\n", before, after);
  return right ? 0 : 1;
}
