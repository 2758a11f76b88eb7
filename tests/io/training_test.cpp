// test: moved
// Training continues from a file as if it had not been interrupted.

#include <sinter/sinter.hpp>

#include <sinter/io/checkpoint.hpp>

#include "cuda_emulator/emulator.hpp"
#include "io/support.hpp"

using namespace testing;

namespace {

struct Net {
  nn::Linear in{5, 16}, out{16, 3};
  nn::Dropout dropout{0.25};
  nn::Buffer mean = zeros({16});
  SINTER_MODULE(Net, in, out, dropout, mean)

  Tensor forward(const Tensor& x) {
    const Tensor hidden = relu(in(x));
    mean.value = mean.value * 0.9f + sinter::mean(hidden, 0) * 0.1f;
    return out(dropout(hidden));
  }
};

template <class Optimizer>
struct Training {
  Net net{};
  Optimizer optimizer{};
  Scalar seed = 0, offset = 0;
  SINTER_MODULE(Training, net, optimizer, seed, offset)
};

template <class Optimizer>
Tensor step(Training<Optimizer>& training, const Tensor& x) {
  Net& net = training.net;
  auto [loss, gradients] = value_and_grad(net, [&] { return mse_loss(net(x), zeros({8, 3})); });
  training.optimizer.step(net, gradients);
  return loss;
}

template <class Optimizer>
void save(const std::string& path, Training<Optimizer>& training) {
  const random::State state = random::state();
  training.seed = state.seed;
  training.offset = state.offset;
  io::save(path, training);
}

template <class Optimizer>
void load(const std::string& path, Training<Optimizer>& training) {
  io::load(path, training);
  random::set_state(
      {training.seed.template item<std::int64_t>(), training.offset.template item<std::int64_t>()});
}

// All state of two modules is the same, bit for bit.
template <class M>
bool same_state(const M& a, const M& b) {
  const auto x = io::detail::state_of(a), y = io::detail::state_of(b);
  bool result = x.slots.size() == y.slots.size();
  for (std::size_t i = 0; result && i < x.slots.size(); ++i) {
    result =
        x.slots[i].name == y.slots[i].name && same_bits(*x.slots[i].tensor, *y.slots[i].tensor);
  }
  return result;
}

template <class Optimizer>
void goes_on(const Optimizer& optimizer) {
  const Folder folder;
  const Tensor x = randn({8, 5});
  Training<Optimizer> training{.optimizer = optimizer};
  auto train = compile(step<Optimizer>);
  for (int i = 0; i < 3; ++i) train(training, x);
  save(folder / "a", training);
  for (int i = 0; i < 3; ++i) train(training, x);

  Training<Optimizer> fresh{.optimizer = optimizer};
  auto train_fresh = compile(step<Optimizer>);
  CHECK_FALSE(same_state(fresh, training));
  load(folder / "a", fresh);
  for (int i = 0; i < 3; ++i) train_fresh(fresh, x);
  fresh.offset = training.offset;
  CHECK(same_state(fresh, training));
  CHECK(train_fresh.stats().recordings == 1);

  load(folder / "a", training);  // back, in objects that have been used
  for (int i = 0; i < 3; ++i) train(training, x);
  CHECK(same_state(training, fresh));
  CHECK(train.stats().recordings == 1);
}

}  // namespace

TEST_CASE("training: AdamW goes on from a file, bit for bit, with the same dropout") {
  goes_on(optim::AdamW{.learning_rate = 0.01f});
}

TEST_CASE("training: Adam goes on from a file") {
  goes_on(optim::Adam{.learning_rate = 0.01f, .weight_decay = 0.1f});
}

TEST_CASE("training: SGD with momentum goes on from a file") {
  goes_on(optim::SGD{.learning_rate = 0.01f, .momentum = 0.9});
}

TEST_CASE("training: a compiled function takes the state that was loaded, without recompiling") {
  const Folder folder;
  nn::Linear layer(2, 2);
  io::save(folder / "a", layer);
  auto compiled = compile(layer);
  const Tensor x = ones({1, 2});
  const Tensor before = compiled(x);
  layer.weight = zeros({2, 2});
  CHECK_FALSE(same_bits(compiled(x), before));
  io::load(folder / "a", compiled);  // what it holds
  CHECK(same_bits(compiled(x), before));
  CHECK(compiled.stats().recordings == 1);
  io::save(folder / "b", compiled);
  CHECK(read_bytes(folder / "b") == read_bytes(folder / "a"));
}

TEST_CASE("training: dimensions that were marked stay marked") {
  const Folder folder;
  nn::Linear layer(2, 3);
  mark_dynamic(layer.weight, 0, {.min = 1, .max = 64});
  io::save(folder / "a", layer);
  io::load(folder / "a", layer);
  REQUIRE(layer.weight.marks() != nullptr);
  CHECK(layer.weight.marks()->at(0).range.max == 64);
}

TEST_CASE("training: state is not loaded while a function is recorded") {
  static const Folder folder;
  nn::Linear layer(2, 2);
  io::save(folder / "a", layer);
  const auto loads = compile([](nn::Linear& module, const Tensor& x) {
    io::load(folder / "a", module);
    return module(x);
  });
  const std::string report = report_of<GraphBreakError>([&] { loads(layer, ones({1, 2})); });
  CHECK(contains(report, "load before the call of the compiled function"));
  CHECK(contains(report, "training_test.cpp"));
}

TEST_CASE("training: state is loaded to the device where the module is, and goes on there" *
          doctest::test_suite("host") * doctest::skip(!emulator::runs_kernels)) {
  const Folder folder;
  const Tensor x = rand({8, 5});
  Training<optim::AdamW> training, there;
  step(training, x);
  save(folder / "a", training);
  step(training, x);
  emulator::Emulator machine;
  nn::to(there.net, cuda());
  load(folder / "a", there);
  CHECK(there.net.in.weight.device() == cuda());
  CHECK(there.net.mean.value.device() == cuda());
  CHECK(there.optimizer.means.at("in.weight").device() == cuda());
  step(there, x.to(cuda()));
  const Tensor found = there.net.in.weight.to(cpu()), expected = training.net.in.weight;
  CHECK(max(abs(found - expected)).item<float>() < 1e-5f);

  io::save(folder / "b", there.net);
  const ScopedDevice scope(cuda(1));
  Training<optim::AdamW> other;
  io::load(folder / "b", other.net);
  CHECK(other.net.in.weight.device() == cuda(1));
  io::load(folder / "b", training.net);
  CHECK(training.net.in.weight.device() == cpu());
}
