#pragma once
// A run of a function without a compiled function around it.

#include <sinter/jit/run/run.hpp>
#include <sinter/jit/state/state.hpp>

#include <memory>
#include <optional>
#include <utility>

#include "jit/support.hpp"

namespace testing {

using namespace sinter::detail::jit;

/// A run with one argument that may be changed, whose copy is `copy`.
struct Started {
  std::shared_ptr<State> state;
  Tensor argument, copy;
  CallSignature call{};
  guard::Leaves copies{};
  GivenNames names{{"argument 0"}};
  std::optional<Run> run{};

  explicit Started(std::shared_ptr<State> of, Tensor value)
      : state(std::move(of)), argument(std::move(value)), copy(argument) {
    elements_of(argument);
    guard::collect(argument, call.leaves);
    guard::collect(copy, copies);
    run.emplace(*state, call, names, Varying{}, OnMiss::compile);
    const RecorderScope scope(&run->recorder());
    run->begin(copies);
  }
  // Runs `body` as the recorded function.
  template <class Body>
  auto record(Body body) {
    const RecorderScope scope(&run->recorder());
    return body(copy);
  }
};

inline std::shared_ptr<State> new_state(CompileOptions options = {}) {
  return std::make_shared<State>(options, Where::current());
}

}  // namespace testing
