#pragma once
// What a compiled function did so far, for reports, and who is told about compiled functions.

#include <string>  // std::string

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/jit/interface/options.hpp>
#include <sinter/jit/state/report.hpp>
#include <sinter/jit/state/segment.hpp>
#include <sinter/jit/state/variant.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

class State;

/// A traced call that compiled something.
struct TracedRecording {
  std::string reason{};  ///< Empty for the first recording.
  TraceReport report{};
};

/// The recordings of a function: variants, and traced calls that compiled something, in order.
struct History {
  std::string name{};
  Where where{};
  CompileOptions options{};  ///< Their name refers to the state.
  Stats stats{};
  Explanation explanation{};
  Vector<SharedPtr<const Variant>> variants{};
  Vector<TracedRecording> traced{};
  LastCall last{};
};

/// Is told about each compiled function. `destroyed` is called for those for which `created`
/// returned true.
struct StateObserver {
  bool (*created)(State& state) = nullptr;
  void (*destroyed)(State& state) = nullptr;
};

/// That of this process. Set once, by debug/report.hpp, before main() starts.
inline StateObserver& state_observer() {
  static constinit StateObserver observer{};
  return observer;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
