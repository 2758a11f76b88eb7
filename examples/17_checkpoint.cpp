// Checkpoints: training resumed from a file continues bit for bit.
#include <sinter/sinter.hpp>

#include <sinter/io/shards.hpp>

#include <cstdio>

using namespace sinter;

struct Net {
  nn::Linear in{6, 24}, out{24, 3};
  nn::Dropout dropout{0.2};
  SINTER_MODULE(Net, in, out, dropout)

  Tensor forward(const Tensor& x) const { return out(dropout(gelu(in(x)))); }
};

// Everything that the next step depends on, in one file.
struct Training {
  Net net;
  optim::AdamW optimizer{.learning_rate = 1e-2f};
  Scalar seed = 0, offset = 0;  // of the random numbers
  SINTER_MODULE(Training, net, optimizer, seed, offset)
};

Tensor train_step(Training& training, const Tensor& x, const Tensor& target) {
  Net& net = training.net;
  auto [loss, gradients] = value_and_grad(net, [&] { return cross_entropy(net(x), target); });
  training.optimizer.step(net, gradients);
  return loss;
}

void save(const std::string& path, Training& training) {
  training.seed = random::state().seed;
  training.offset = random::state().offset;
  io::save(path, training);
}

void load(const std::string& path, Training& training) {
  io::load(path, training);
  random::set_state({training.seed.item<std::int64_t>(), training.offset.item<std::int64_t>()});
}

bool equal(const Tensor& a, const Tensor& b) { return static_cast<bool>(all(a == b)); }

int main() {
  const std::string path = "checkpoint.safetensors";
  const Tensor x = randn({32, 6}), target = argmax(x, -1) % 3;
  auto step = compile(train_step);
  Training training;
  for (int i = 0; i < 50; ++i) step(training, x, target);
  save(path, training);
  for (int i = 0; i < 50; ++i) step(training, x, target);

  Training fresh;  // as in another process: other weights, an optimizer without moments
  load(path, fresh);
  for (int i = 0; i < 50; ++i) step(fresh, x, target);
  bool right = equal(fresh.net.in.weight, training.net.in.weight);

  for (const auto& [name, tensor] : io::load_tensors(path)) {
    std::printf("%-32s %s\n", name.c_str(), to_string(tensor).c_str());
  }
  io::save_npz("weights.npz", {{"in", fresh.net.in.weight}});  // for numpy.load
  right = right && equal(io::load_npz("weights.npz").at("in"), training.net.in.weight);

  const int ranks = 4;  // in a program of many processes, each saves its own part
  for (int rank = 0; rank < ranks; ++rank) {
    io::save_sharded("checkpoint", training, {.rank = rank, .ranks = ranks});
  }
  io::commit_sharded("checkpoint", ranks);  // one process, when all have saved
  io::load_sharded("checkpoint", fresh);    // by any number of processes
  right = right && equal(fresh.net.in.weight, training.net.in.weight);
  return right ? 0 : 1;
}
