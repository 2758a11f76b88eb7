// test: moved
// Optimizers against those of torch: 20 steps with the same weights and data.

#include "nn/training.hpp"

using namespace training;
using optim::Adam, optim::AdamW, optim::Adagrad, optim::Lion, optim::RMSprop, optim::SGD;

namespace {

using Mlp = nn::Sequential<nn::Linear, nn::Tanh, nn::Linear>;

/// With weights where tensors are made by now.
Mlp mlp() { return {nn::Linear{6, 8}, nn::Tanh{}, nn::Linear{8, 4}}; }

template <class Clip>
Tensor clipped_step(Mlp& model, SGD& optimizer, const Tensor& x, const Tensor& target) {
  auto [loss, gradients] = value_and_grad(model, [&] { return cross_entropy(model(x), target); });
  Clip()(gradients);
  optimizer.step(model, gradients);
  return loss;
}

struct ByNorm {
  void operator()(Gradients& gradients) const { clip_grad_norm(gradients, 0.1); }
};
struct ByValue {
  void operator()(Gradients& gradients) const { clip_grad_value(gradients, 0.01); }
};

}  // namespace

TEST_CASE("training: SGD is torch's") {
  check("sgd", mlp(), SGD{.learning_rate = 0.5f});
  check("sgd_momentum", mlp(), SGD{.learning_rate = 0.1f, .momentum = 0.9, .weight_decay = 0.01f});
  check("sgd_dampening", mlp(), SGD{.learning_rate = 0.2f, .momentum = 0.9, .dampening = 0.3});
  check("sgd_nesterov", mlp(), SGD{.learning_rate = 0.1f, .momentum = 0.9, .nesterov = true});
  check("sgd_maximize", mlp(), SGD{.learning_rate = 0.05f, .weight_decay = 0.1f, .maximize = true});
}

TEST_CASE("training: clipped gradients are torch's") {
  const auto nothing = [](SGD&, int) {};
  check("sgd_clip_norm", mlp(), SGD{.learning_rate = 0.5f}, clipped_step<ByNorm>, 0, nothing);
  check("sgd_clip_value", mlp(), SGD{.learning_rate = 0.5f}, clipped_step<ByValue>, 0, nothing);
}

TEST_CASE("training: schedules match torch's, and do not recompile") {
  const auto rate = optim::cosine(0.5, 15);
  check("sgd_cosine", mlp(), SGD(), train_step<Mlp, SGD>, 0, [&](SGD& sgd, int i) {
    // torch goes on with the cosine when it is over, and so comes back.
    sgd.learning_rate = i <= 15 ? rate(i) : rate(30 - i);
  });
}

TEST_CASE("training: Adam and AdamW are torch's") {
  check("adam", mlp(), Adam{.learning_rate = 0.02f});
  check("adam_decay", mlp(),
        Adam{.learning_rate = 0.02f, .beta1 = 0.8, .beta2 = 0.95, .weight_decay = 0.1f});
  check("adam_amsgrad", mlp(), Adam{.learning_rate = 0.05f, .beta2 = 0.5, .amsgrad = true});
  check("adamw", mlp(), AdamW{.learning_rate = 0.02f, .weight_decay = 0.1f});
}

TEST_CASE("training: RMSprop is torch's") {
  check("rmsprop", mlp(), RMSprop{.learning_rate = 0.01f, .alpha = 0.9});
  check("rmsprop_centered", mlp(),
        RMSprop{.learning_rate = 0.01f,
                .alpha = 0.9,
                .weight_decay = 0.01f,
                .momentum = 0.5,
                .centered = true});
}

TEST_CASE("training: Adagrad is torch's") {
  check("adagrad", mlp(), Adagrad{.learning_rate = 0.1f});
  check("adagrad_decay", mlp(),
        Adagrad{.learning_rate = 0.1f,
                .lr_decay = 0.1,
                .weight_decay = 0.01f,
                .initial_accumulator_value = 0.1});
}

TEST_CASE("training: Lion is that of its paper") {
  check("lion", mlp(), Lion{.learning_rate = 0.01f, .weight_decay = 0.1f});
}

TEST_CASE("training: groups of parameters are torch's") {
  const auto grouped = [](auto optimizer, float rate) {
    return optimizer.group("*.bias", {.weight_decay = 0.0f}).group("2", {.learning_rate = rate});
  };
  check("sgd_groups", mlp(),
        grouped(SGD{.learning_rate = 0.1f, .momentum = 0.9, .weight_decay = 0.1f}, 0.4f));
  check("adam_groups", mlp(), grouped(Adam{.learning_rate = 0.01f, .weight_decay = 0.1f}, 0.05f));
  check("adamw_groups", mlp(), grouped(AdamW{.learning_rate = 0.01f, .weight_decay = 0.1f}, 0.05f));
  check("rmsprop_groups", mlp(),
        grouped(RMSprop{.learning_rate = 0.01f, .alpha = 0.9, .weight_decay = 0.1f}, 0.03f));
  check("adagrad_groups", mlp(),
        grouped(Adagrad{.learning_rate = 0.1f, .lr_decay = 0.1, .weight_decay = 0.1f}, 0.2f));
  check("lion_groups", mlp(), grouped(Lion{.learning_rate = 0.01f, .weight_decay = 0.1f}, 0.02f));
}

TEST_CASE("training: gradients of parts of a batch add up to those of the batch") {
  Mlp model = mlp();
  const Tensor x = sin(counting({12, 6})), target = arange(12) % 4;
  const auto gradients_of = [&](const Slice& rows) {
    const auto loss = [&] { return cross_entropy(model(x[rows]), target[rows]); };
    return value_and_grad(model, loss).gradients;
  };
  Gradients total = zero_gradients(model);
  for (const int start : {0, 4, 8}) total += gradients_of({start, start + 4});
  total /= 3;
  for (const auto& [name, gradient] : gradients_of({})) {
    CHECK(near(total[name], numbers(gradient), 1e-6));
  }
}

TEST_CASE("training: a compiled step that adds gradients up compiles once") {
  Mlp model = mlp(), expected = model;
  nn::to(expected, cpu());
  SGD sgd{.learning_rate = 0.5f}, other = sgd;
  const Tensor x = sin(counting({12, 6})), target = arange(12) % 4;
  const auto collect =
      compile([](Mlp& net, Gradients& total, const Tensor& input, const Tensor& labels) {
        const auto loss = [&] { return cross_entropy(net(input), labels); };
        total += value_and_grad(net, loss).gradients;
      });
  const auto update = compile([](Mlp& net, SGD& optimizer, Gradients& total) {
    optimizer.step(net, total / 3);
    total = zeros_like(total);
  });
  Gradients total = zero_gradients(model);
  for (int step = 0; step < 3; ++step) {
    for (const int start : {0, 4, 8}) {
      const Slice rows{start, start + 4};
      collect(model, total, x[rows], target[rows]);
    }
    update(model, sgd, total);
    const ScopedDevice host(cpu());
    train_step(expected, other, x.to(cpu()), target.to(cpu()));
  }
  CHECK(near(model.get<0>().weight, numbers(expected.get<0>().weight), 1e-5));
  CHECK(collect.stats().recordings == 1);
  CHECK(update.stats().recordings == 1);
}
