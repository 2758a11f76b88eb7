#pragma once
// Fills Stats and Explanation from the programs of the last call, and what reports ask besides.

#include <cstdint>  // std::int64_t
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/device/host/storage.hpp>
#include <sinter/jit/interface/options.hpp>
#include <sinter/jit/lower/program.hpp>
#include <sinter/jit/state/segment.hpp>
#include <sinter/jit/state/variant.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// A program that computed a derivative of the call.
struct DerivativeRun {
  SharedPtr<const Runnable> runnable{};
  std::vector<std::int64_t> symbols{};
};

/// The programs that the last call ran, or that prepare() compiled.
struct LastCall {
  SharedPtr<const Variant> variant{};        ///< Null if the call was traced.
  std::vector<std::int64_t> symbols{};       ///< Of the variant.
  TraceReport trace{};
  Vector<DerivativeRun> derived{};  ///< Derivatives of the call.
};

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

/// Is told about each compiled function. The others are called for those for which `created`
/// returned true; `call_ended` for calls for which `call_began` returned true.
struct StateObserver {
  bool (*created)(State& state) = nullptr;
  void (*destroyed)(State& state) = nullptr;
  bool (*call_began)(const State& state) = nullptr;
  void (*call_ended)(const State& state) = nullptr;
};

/// That of this process. Set once, by debug/report.hpp, before main() starts.
inline StateObserver& state_observer() {
  static constinit StateObserver observer{};
  return observer;
}

namespace detail {

/// Why `program` is interpreted. `is_cached`: later calls use it too; `is_interim`: the background
/// compilation will replace it.
using WhyInterpreted =
    FunctionRef<std::string(const Program& program, bool is_cached, bool is_interim)>;
/// Adds the launches of the last call.
void count_launches(Stats& stats, const LastCall& last);
/// Adds the graphs of the last call and their kernels.
void add_graphs(Explanation& explanation, const LastCall& last, WhyInterpreted why);
/// Which compiler is missing for `device`.
std::string missing_compiler(Device device);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/state/report.ipp>
#endif
