#pragma once
// Evaluation outside of recordings: when elements are read, everything they need is computed.

#include <span>    // std::span
#include <vector>  // std::vector

#include <sinter/base/function_ref.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/trace/core/handle.hpp>

namespace sinter::inline SINTER_ABI::detail {

class CalledValue;

/// Computes graphs. trace knows only this interface; jit installs what implements it.
struct Evaluator {
  virtual ~Evaluator() = default;
  /// The elements of each output on `device`, from those of each input, which are there, but for
  /// numbers of the host. All sizes are numbers.
  virtual std::vector<Storage> evaluate(const Graph& graph, std::span<const Storage> inputs,
                                        Device device) = 0;
  /// The value and its gradients; empty if the caller should record the gradients instead. Calls
  /// `unlock` when nothing more is read of the value.
  virtual std::vector<Storage> value_and_gradients(const CalledValue& /*value*/,
                                                   FunctionRef<void()> /*unlock*/) {
    return {};
  }
};

/// Held by the thread that evaluates values outside of recordings.
RecursiveProcessMutex& evaluation_mutex();

/// The evaluator of this process.
Evaluator*& current_evaluator();

/// How many gradients this thread is about to find. While there are any, values that are evaluated
/// remember what they were computed from.
int& active_differentiations();

/// True if `x` is computed from a variable of a gradient that this thread is about to find.
bool depends_on_variable(const Tensor& x);

/// Values with elements that keep their operands until the outermost gradient is found, whose list
/// this is; null outside of gradients.
inline thread_local std::vector<LazyRef>* values_with_operands = nullptr;
/// The values in the list of this thread let go of their operands.
void release_values_with_operands();

/// Computes `x`, and what it needs that other handles hold as well. Afterwards it has elements.
/// Safe from several threads.
///
/// Throws GraphBreakError inside of a recording, where there are no elements; IndexError and
/// ValueError for faults in the data.
void evaluate(const Tensor& x, Where where = Where::current());

/// The elements of `x`, evaluated first.
const Storage& elements_of(const Tensor& x, Where where = Where::current());

/// The elements where the host can read them, wherever `x` is.
const void* host_elements_of(const Tensor& x, Where where = Where::current());

}  // namespace sinter::inline SINTER_ABI::detail

#include <sinter/trace/core/tensor.hpp>

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/core/evaluate.ipp>
#endif
