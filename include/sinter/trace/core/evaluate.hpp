#pragma once
// Eager evaluation: reading the elements of a value computes everything that it depends on.

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/trace/core/handle.hpp>

namespace sinter::inline SINTER_ABI::detail {

class CalledValue;

/// Computes graphs. trace knows only this interface; jit installs the implementation.
struct Evaluator {
  virtual ~Evaluator() = default;
  /// The elements of each output, computed on `device`. Inputs are on `device` too, except scalars,
  /// which may be on the host. All sizes are numbers.
  virtual Vector<Storage> evaluate(const Graph& graph, Span<const Storage> inputs,
                                   Device device) = 0;
  /// The value and its gradients; empty if the caller should record the gradients instead. Calls
  /// `unlock` once it has finished reading the value.
  virtual Vector<Storage> value_and_gradients(const CalledValue& /*value*/,
                                              FunctionRef<void()> /*unlock*/) {
    return {};
  }
};

/// Locks evaluation outside of recordings to one thread.
struct EvaluationMutex {
  void lock();  ///< Recursive.
  void unlock();
};
EvaluationMutex& evaluation_mutex();

/// The evaluator of this process.
Evaluator*& current_evaluator();

/// The number of gradients in progress on this thread. While it is not 0, evaluated values keep
/// their operands.
int& active_differentiations();

/// True if `x` depends on a variable of a gradient in progress on this thread.
bool depends_on_variable(const Tensor& x);

/// Evaluated values that keep their operands until the outermost gradient is complete; null outside
/// of gradients.
inline thread_local Vector<LazyRef>* values_with_operands = nullptr;
/// Releases the operands of the values in this thread's list.
void release_values_with_operands();

/// Computes `x`, and those of its operands that other handles hold as well. Afterwards they have
/// elements. Thread-safe.
///
/// Throws GraphBreakError inside a recording, where values have no elements; IndexError and
/// ValueError for faults in the data.
void evaluate(const Tensor& x, Where where = Where::current());

/// Evaluates `x` and returns its elements.
const Storage& elements_of(const Tensor& x, Where where = Where::current());

/// The elements of `x` in host memory, copied there if `x` is on another device.
const void* host_elements_of(const Tensor& x, Where where = Where::current());

}  // namespace sinter::inline SINTER_ABI::detail

#include <sinter/trace/core/tensor.hpp>

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/core/evaluate.ipp>
#endif
