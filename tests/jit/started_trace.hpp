#pragma once
// A started trace, without a compiled function around it.

#include <sinter/jit/run/segmented_tracer.hpp>
#include <sinter/jit/state/state.hpp>

#include <memory>
#include <optional>
#include <utility>

#include "jit/support.hpp"

namespace testing {

using namespace sinter::detail::jit;

/// A trace with one mutable argument, whose copy is `copy`.
struct StartedTrace {
  std::shared_ptr<State> state;
  Tensor argument, copy;
  CallSignature call{};
  guard::Leaves copies{};
  GivenNames names{{"argument 0"}};
  std::optional<SegmentedTracer> tracer{};

  explicit StartedTrace(std::shared_ptr<State> of, Tensor value)
      : state(std::move(of)), argument(std::move(value)), copy(argument) {
    elements_of(argument);
    guard::collect(argument, call.leaves);
    guard::collect(copy, copies);
    tracer.emplace(*state, call, names, Varying{}, OnMiss::compile);
    const RecorderScope scope(&tracer->recorder());
    tracer->begin(copies);
  }
  // Runs `body` as the traced function.
  template <class Body>
  auto record(Body body) {
    const RecorderScope scope(&tracer->recorder());
    return body(copy);
  }
};

inline std::shared_ptr<State> new_state(CompileOptions options = {}) {
  return std::make_shared<State>(options, Where::current());
}

}  // namespace testing
