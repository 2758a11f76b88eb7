// test: moved
// Whole training steps: forward, loss, gradients and optimizer as one recording.

#include <doctest/doctest.h>

#include "jit/support.hpp"
#include "moved.hpp"

using namespace testing;
using sinter_test::by_device;

namespace {

// The network for 8 x 8 digits, smaller.
struct Mlp {
  nn::Linear first{64, 32}, second{32, 32}, head{32, 10};
  SINTER_MODULE(Mlp, first, second, head)
  Tensor forward(const Tensor& x) const { return head(gelu(second(gelu(first(x))))); }
};

template <class Optimizer>
Tensor train(Mlp& model, Optimizer& optimizer, const Tensor& x, const Tensor& target) {
  auto [loss, gradients] = value_and_grad(model, [&] { return cross_entropy(model(x), target); });
  optimizer.step(model, gradients);
  return loss;
}

// Blobs around ten centres, as pixels from 0 to 1.
struct Data {
  Tensor images, labels;
};

Data digits(int count) {
  random::manual_seed(1);
  const Tensor centres = rand({10, 64});
  const Tensor labels = randint(0, 10, {count});
  const Tensor images = index_select(centres, 0, labels) + randn({count, 64}) * 0.3f;
  elements_of(images);
  elements_of(labels);
  return {images, labels};
}

template <class Optimizer>
std::vector<float> curve(Optimizer optimizer, const CompileOptions& options, bool marks,
                         std::int64_t& recordings) {
  const int count = by_device(200, 26), batch = by_device(64, 8);
  const Data data = digits(count);
  random::manual_seed(2);
  Mlp model;
  const auto step = compile(train<Optimizer>, options);
  std::vector<float> result;
  for (int i = 0; i < by_device(50, 4); ++i) {
    const int start = batch * (i % 4),
              stop = std::min(start + batch, count);  // the last batch is small
    Tensor x = data.images[Slice{start, stop}], y = data.labels[Slice{start, stop}];
    if (marks) mark_dynamic(x, 0);
    if (i % 10 == 9) optimizer.learning_rate = optimizer.learning_rate * 0.9f;
    result.push_back(step(model, optimizer, x, y).template item<float>());
  }
  recordings = step.stats().recordings;
  return result;
}

template <class Optimizer>
void check_curves(const Optimizer& optimizer) {
  std::int64_t marked = 0, automatic = 0, eager_recordings = 0;
  const std::vector<float> fused = curve(optimizer, {}, true, marked);
  const std::vector<float> unmarked = curve(optimizer, {}, false, automatic);
  const std::vector<float> eager = [&] {
    const ScopedDevice host(cpu());
    return curve(optimizer, {.backend = Backend::eager}, true, eager_recordings);
  }();
  for (std::size_t i = 0; i < fused.size(); ++i) {
    INFO("step " << i);
    CHECK(std::fabs(fused[i] - eager[i]) < 1e-4);
    CHECK(std::fabs(unmarked[i] - eager[i]) < 1e-4);
  }
  if (!sinter_test::on_gpu()) CHECK(fused.back() < 0.7f * fused.front());
  CHECK(marked == 1);
  CHECK(automatic == 2);
}

}  // namespace

TEST_CASE("training: the loss of AdamW equals the eager backend's for 50 steps") {
  check_curves(optim::AdamW{.learning_rate = 3e-3f});
}

TEST_CASE("training: the loss of SGD with momentum equals the eager backend's for 50 steps") {
  check_curves(optim::SGD{.learning_rate = 0.05f, .momentum = 0.9f});
}

TEST_CASE("training: the step without compile() computes the same") {
  const Data data = digits(by_device(32, 12));
  random::manual_seed(2);
  Mlp model;
  Mlp other = model;
  optim::SGD optimizer{.learning_rate = 0.1f}, other_optimizer = optimizer;
  const auto step = compile(train<optim::SGD>);
  for (int i = 0; i < by_device(5, 2); ++i) {
    const Tensor loss = step(model, optimizer, data.images, data.labels);
    const Tensor expected = train(other, other_optimizer, data.images, data.labels);
    CHECK(near_tensor(loss, expected, 1e-4));
  }
  CHECK(near_tensor(model.head.weight, other.head.weight, 1e-4));
}

TEST_CASE("training: gradients flow through a compiled model") {
  const Data data = digits(16);
  Mlp model;
  const auto compiled = compile(model);
  const auto loss = [&](auto& call) {
    return value_and_grad(model, [&] { return cross_entropy(call(data.images), data.labels); });
  };
  const auto plain = loss(model), through = loss(compiled);
  CHECK(near_tensor(through.value, plain.value));
  CHECK(near_tensor(through.gradients["first.weight"], plain.gradients["first.weight"]));
}

TEST_CASE("training: training and evaluation of one model are separate recordings") {
  const Data data = digits(by_device(128, 24));
  Mlp model;
  optim::AdamW optimizer{.learning_rate = 1e-2f};
  const auto step = compile(train<optim::AdamW>);
  const auto accuracy = compile([](const Mlp& network, const Tensor& x, const Tensor& y) {
    return mean((argmax(network(x), -1) == y).to(f32));
  });
  const float before = accuracy(model, data.images, data.labels).item<float>();
  for (int i = 0; i < by_device(40, 12); ++i) step(model, optimizer, data.images, data.labels);
  const float after = accuracy(model, data.images, data.labels).item<float>();
  CHECK(after > by_device(0.9f, 0.0f));
  CHECK(after > before);
  CHECK(accuracy.stats().recordings == 1);
}
