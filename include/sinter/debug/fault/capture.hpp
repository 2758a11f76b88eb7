#pragma once
// Calls of a function on copies of its arguments: as written, and compiled, with what is compiled.

#include <string>  // std::string
#include <vector>  // std::vector

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/debug/fault/problem.hpp>
#include <sinter/jit/interface/callable.hpp>
#include <sinter/jit/state/state.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

/// What a call gave, in host memory.
struct Outcome {
  Vector<TensorType> types{};  ///< Of the tensors of the result, then of the arguments afterwards.
  Vector<Storage> values{};
  std::size_t results = 0;  ///< Those of the result.
  std::string error{};      ///< What it threw; empty if it returned.
};

/// A program that ran in a call, with its inputs and what it gave.
struct ProgramRun {
  Problem problem{};
  Vector<Storage> outputs{};
};

/// A rule of autodiff that a recording used.
struct UsedRule {
  bool is_gradient = false;  ///< Else a batching rule.
  Node node{};               ///< Without inputs.
  Vector<TensorType> types{};
};

struct Captured {
  Outcome outcome{};
  Vector<ProgramRun> runs{};
  Vector<UsedRule> rules{};
};

/// Appends the tensors of the result of a call.
using CollectResult = void (*)(jit::AnyCall& call, std::vector<Tensor>& tensors);

/// Runs the function as written on copies of the arguments.
Outcome call_as_written(const jit::AnyCall& call, Where where);
/// Calls through `state` on copies of the arguments.
Outcome call_compiled(jit::State& state, jit::AnyCall& call, CollectResult collect);
/// The same through a new state with these options, which notes what is recorded.
Captured capture(const CompileOptions& options, Where where, jit::AnyCall& call,
                 CollectResult collect);

}  // namespace sinter::inline SINTER_ABI::detail::debug

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/fault/capture.ipp>
#endif
