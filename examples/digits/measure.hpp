#pragma once
// Measurements around the training.

#include <sinter/sinter.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "model.hpp"

namespace digits {

/// Measurements of the first epochs on one backend.
struct Epochs {
  double seconds = 0;           ///< Of the fastest epoch: noise only adds time.
  std::vector<float> losses{};  ///< Of each step.
};

template <class Model>
Epochs measure_epochs(Setup setup, sinter::Backend backend, const Images& images, int epochs) {
  setup.backend = backend;
  Training<Model> training(setup);
  double fastest = training.train_epoch(images);
  for (int i = 1; i < epochs; ++i) fastest = std::min(fastest, training.train_epoch(images));
  return {fastest, training.losses()};
}

/// The largest difference between two loss curves in their first 50 steps.
inline double difference(const std::vector<float>& a, const std::vector<float>& b) {
  double result = 0;
  for (std::size_t i = 0; i < std::min({a.size(), b.size(), std::size_t{50}}); ++i) {
    result = std::max<double>(result, std::fabs(a[i] - b[i]));
  }
  return result;
}

/// Seconds of a first training step: recorded, compiled or loaded, and run.
struct FirstSteps {
  double cold = 0;  ///< With empty caches.
  double disk = 0;  ///< With the kernels of the cold step on disk, and none in memory.
};

template <class Model>
FirstSteps measure_first_steps(const Setup& setup, const Images& images) {
  const std::vector<std::size_t> rows = all_rows(images);
  const Batch batch = make_batch(images, std::span(rows).first(batch_size), setup.mark);
  const auto first_step = [&] {
    Training<Model> training(setup);
    training.train_batch(batch);
    return training.first_step_seconds();
  };
  const sinter::ScopedFreshCache fresh;
  const double cold = first_step();
  sinter::reset();
  return {cold, first_step()};
}

/// The peak memory of this process so far, in MiB.
inline double process_mebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace digits
