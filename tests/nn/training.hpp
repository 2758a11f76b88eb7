#pragma once
// Models and optimizers against what torch trained: tests/data/make_training.py.

#include <doctest/doctest.h>
#include <sinter/sinter.hpp>

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <string>

#include "moved.hpp"
#include "trace/testing.hpp"

namespace training {

using namespace testing;

/// What torch found: the state at the start and at the end, the batch, and the losses.
class Run {
 public:
  explicit Run(const std::string& name)
      : arrays_(io::load_npz(std::string(SINTER_SOURCE_DIR) + "/tests/data/training/" + name +
                             ".npz")) {}

  const Tensor& operator[](const std::string& name) const { return arrays_.at(name); }

  /// Gives `module` the state at the start, through a file like those of torch.
  template <class M>
  void load_into(M& module) const {
    // Tests of other folders that train run at the same time: each process has its own file.
    const std::string path = text(SINTER_TEST_DIR, "/training.", ::getpid(), ".safetensors");
    io::save_tensors(path, starting_with("state."));
    io::load(path, module);
    std::remove(path.c_str());
  }

  /// The largest distance of a parameter of `module` from what it is at the end.
  template <class M>
  double distance_at_the_end(const M& module) const {
    double worst = 0;
    for (const auto& [name, parameter] : nn::named_parameters(module)) {
      const Numbers found = numbers(parameter), expected = numbers(arrays_.at("after." + name));
      REQUIRE(found.size() == expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        const double distance = std::fabs(found[i] - expected[i]);
        worst = distance <= worst ? worst : distance;  // and a NaN stays
      }
    }
    return worst;
  }

 private:
  std::map<std::string, Tensor> starting_with(const std::string& prefix) const {
    std::map<std::string, Tensor> result;
    for (const auto& [name, array] : arrays_) {
      if (name.rfind(prefix, 0) == 0) result[name.substr(prefix.size())] = array;
    }
    return result;
  }

  std::map<std::string, Tensor> arrays_;
};

/// One step on one batch: what a training loop compiles.
template <class M, class Optimizer>
Tensor train_step(M& model, Optimizer& optimizer, const Tensor& x, const Tensor& target) {
  auto [loss, gradients] = value_and_grad(model, [&] { return cross_entropy(model(x), target); });
  optimizer.step(model, gradients);
  return loss;
}

/// Of check() so far.
inline int checks = 0;

/// Trains `model` by `step` as torch did, in the eager backend and fused, there with the size of
/// axis `batch` of x as a number and as a symbol. `before` is called before each step. On a GPU
/// it is fused, and every eighth time two steps are made with a symbol.
template <class M, class Optimizer, class Step, class Before>
void check(const std::string& name, const M& initial, const Optimizer& fresh, Step step, int batch,
           Before before) {
  const bool is_eighth = checks++ % 8 == 0;
  const Run run(name);
  const Numbers expected = numbers(run["losses"]);
  REQUIRE(expected.size() == 20);
  for (const bool marked : {false, true}) {
    for (const Backend backend : {Backend::eager, Backend::fused}) {
      if (sinter_test::by_device(false, backend == Backend::eager || (marked && !is_eighth)))
        continue;
      INFO(name << (backend == Backend::fused ? ", fused" : ", eager")
                << (marked ? ", marked" : ""));
      M model = initial;
      Optimizer optimizer = fresh;
      run.load_into(model);
      Tensor x = run["x"], target = run["target"];
      if (marked) mark_dynamic(x, batch), mark_dynamic(target, 0);
      const std::size_t steps = sinter_test::by_device<std::size_t>(20, marked ? 2 : 20);
      const auto compiled = compile(step, {.backend = backend});
      double worst = 0;
      for (std::size_t i = 0; i < steps; ++i) {
        before(optimizer, static_cast<int>(i));
        const double loss = compiled(model, optimizer, x, target).template item<double>();
        const double error = std::fabs(loss - expected[i]) / expected[i];
        worst = error <= worst ? worst : error;
      }
      CHECK(worst <= 1e-5);
      if (steps == 20) CHECK(run.distance_at_the_end(model) <= 2e-4);
      CHECK(compiled.stats().recordings == 1);
      CHECK(compiled.stats().breaks == 0);
    }
  }
}

template <class M, class Optimizer>
void check(const std::string& name, const M& initial, const Optimizer& fresh, int batch = 0) {
  check(name, initial, fresh, train_step<M, Optimizer>, batch, [](Optimizer&, int) {});
}

}  // namespace training
