#pragma once
// Functions with branches and loops, for tests of graphs on a GPU.

#include <utility>

#include "cuda_graph.hpp"

namespace gpu_graph {

// A loop whose number of steps depends on the data.
inline Tensor doubled(const Tensor& t) {
  return while_loop([](const Tensor& v) { return sum(v) < 50.0f; },
                    [](const Tensor& v) { return v * 2.0f; }, t);
}

inline Tensor chosen(const Tensor& t) {
  return cond(
      sum(t) > 0.0f, [](const Tensor& v) { return exp(v * 0.1f); },
      [](const Tensor& v) { return softmax(v, 0) - 1.0f; }, t);
}

// The final state of a recurrence over the rows of `xs`, and a softmax of each state.
inline std::pair<Tensor, Tensor> recurrence(const Tensor& first, const Tensor& xs) {
  return scan(
      [](const Tensor& c, const Tensor& x) {
        const Tensor next = tanh(c * 0.5f + x);
        return std::pair{next, softmax(next, 0)};
      },
      first, xs);
}

inline Tensor three(float first) { return list(std::vector<float>{first, 1, 2}); }

// Calls `f` on a GPU and checks its driver calls: one graph launch, and no synchronisation.
template <class F, class... A>
auto called(const emulator::Gpus& machine, emulator::CountedDriver& driver, const F& f,
            const A&... arguments) {
  const std::size_t graphs = machine.graph_launches();
  const auto waits = [&] {
    return driver.calls<&Driver::synchronize_stream>() +
           driver.calls<&Driver::copy_to_host_async>() + driver.calls<&Driver::launch>();
  };
  const int before = waits();
  auto result = f(arguments...);
  CHECK(waits() == before);
  CHECK(machine.graph_launches() == graphs + 1);
  return result;
}

}  // namespace gpu_graph
