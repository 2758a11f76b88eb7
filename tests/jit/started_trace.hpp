#pragma once
// A started trace, without a compiled function around it.

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/jit/run/segmented_tracer.hpp>
#include <sinter/jit/state/state.hpp>

#include <optional>
#include <utility>

#include "jit/support.hpp"

namespace testing {

using namespace sinter::detail::jit;

/// A trace with one mutable argument, whose copy is `copy`.
struct StartedTrace {
  SharedPtr<State> state;
  Tensor argument, copy;
  CallSignature call{};
  guard::Leaves copies{};
  GivenNames names{{"argument 0"}};
  std::optional<SegmentedTracer> tracer{};

  explicit StartedTrace(SharedPtr<State> of, Tensor value)
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

inline SharedPtr<State> new_state(CompileOptions options = {}) {
  return make_shared_ptr<State>(options, Where::current());
}

}  // namespace testing
