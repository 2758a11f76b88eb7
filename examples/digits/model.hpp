#pragma once
// A network, the training step that is compiled as one graph, and the training loop.

#include <sinter/sinter.hpp>

#include <chrono>
#include <random>
#include <vector>

#include "data.hpp"

namespace digits {

using sinter::Tensor;

struct Network {
  sinter::nn::Linear first{64, 128}, second{128, 128}, last{128, 10};
  SINTER_MODULE(Network, first, second, last)

  Tensor forward(const Tensor& x) const { return last(gelu(second(gelu(first(x))))); }
};

/// Forward, loss, backward and optimizer: one graph.
template <class Model>
Tensor train_step(Model& network, sinter::optim::AdamW& optimizer, const Tensor& images,
                  const Tensor& digits) {
  auto [loss, gradients] =
      sinter::value_and_grad(network, [&] { return cross_entropy(network(images), digits); });
  optimizer.step(network, gradients);
  return loss;
}

/// The number of images that the network classifies correctly.
template <class Model>
Tensor count_right(const Model& network, const Tensor& images, const Tensor& digits) {
  return sum(argmax(network(images), -1) == digits);
}

/// Runs `body`; returns the seconds that it took.
template <class Body>
double seconds_of(Body body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The parameters of a training run.
struct Setup {
  std::uint64_t seed = 0;
  sinter::Backend backend = sinter::Backend::fused;
  bool mark = true;
  float learning_rate = 5e-3f;
  int decay_steps = 0;  // until the learning rate is 0; 0 keeps it constant
};

template <class Model>
class Training {
 public:
  explicit Training(const Setup& setup)
      : setup_(setup),
        random_(static_cast<std::uint32_t>(setup.seed)),
        network_(new_network(setup.seed)),
        optimizer_{.learning_rate = setup.learning_rate},
        step_(compile(train_step<Model>, {.backend = setup.backend, .name = "train_step"})),
        count_right_(
            compile(count_right<Model>, {.backend = setup.backend, .name = "count_right"})) {}

  /// Trains for one epoch; returns the seconds that it took.
  double train_epoch(const Images& images) {
    const std::vector<Batch> batches = shuffled_batches(images, random_, setup_.mark);
    return seconds_of([&] {
      for (const Batch& batch : batches) train_batch(batch);
    });
  }

  void train_batch(const Batch& batch) {
    if (setup_.decay_steps != 0) {
      const sinter::optim::CosineRate rate{setup_.learning_rate, setup_.decay_steps};
      optimizer_.learning_rate = rate(static_cast<std::int64_t>(losses_.size()));
    }
    const double seconds = seconds_of([&] {
      const Tensor loss = step_(network_, optimizer_, batch.images, batch.digits);
      losses_.push_back(loss.item<float>());
    });
    if (losses_.size() == 1) first_step_seconds_ = seconds;
  }

  /// The share of images that the network classifies correctly.
  double accuracy(const Images& images) const {
    const Batch all = make_batch(images, all_rows(images), setup_.mark);
    const Tensor right = count_right_(network_, all.images, all.digits);
    return right.item<double>() / static_cast<double>(images.size());
  }

  /// The loss of each step so far.
  const std::vector<float>& losses() const { return losses_; }
  /// The seconds of the first step, which is recorded, and compiled or loaded.
  double first_step_seconds() const { return first_step_seconds_; }
  const Setup& setup() const { return setup_; }
  /// The statistics of the compiled training step.
  sinter::Stats stats() const { return step_.stats(); }

 private:
  static Model new_network(std::uint64_t seed) {
    sinter::random::manual_seed(seed);
    return Model();
  }

  Setup setup_;
  std::mt19937 random_;
  Model network_;
  sinter::optim::AdamW optimizer_;
  decltype(sinter::compile(train_step<Model>)) step_;
  decltype(sinter::compile(count_right<Model>)) count_right_;
  std::vector<float> losses_{};
  double first_step_seconds_ = 0;
};

}  // namespace digits
