#pragma once
// The interpreter: evaluates a graph operation by operation, without fusion.
//
// It is the eager backend and the reference for compiled code; it shares nothing with schedule and
// codegen.

#include <atomic>   // std::atomic
#include <cstdint>  // std::int64_t

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/device/host/storage.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace interpreter {
struct Array;
}

/// The size that a symbol has in this call.
using SymbolSize = FunctionRef<std::int64_t(Extent symbol)>;

/// The outputs of `graph` for `inputs`, which are row-major without gaps, like the outputs.
///
/// Every operation is rounded to its dtype: 16-bit floating dtypes are computed in f32; sums of
/// floating dtypes are accumulated in f64 and rounded once, so that they are at least as accurate
/// as those of any other backend; integers wrap. The headers of this room document NaN, infinity
/// and empty arrays, operation by operation.
///
/// Inputs are never written. An output that is an input, or a reshape of one, shares its memory.
/// Other memory is freed after its last use.
///
/// Throws IndexError for an index outside of its axis, ValueError for an integer division by zero
/// and if memory runs out, each with the line of the node.
Vector<Storage> interpret(const Graph& graph, Span<const Storage> inputs, SymbolSize size);
/// The same where the symbol of id i has the size symbols[i].
Vector<Storage> interpret(const Graph& graph, Span<const Storage> inputs,
                          Span<const std::int64_t> symbols = {});

/// Sees each operation that the interpreter evaluates on this thread: for checks of numerics.
class NodeWatch {
 public:
  virtual ~NodeWatch() = default;
  /// Node `id` of `graph` gave `results` for `inputs`. The nodes of a body come before its loop.
  virtual void evaluated(const Graph& graph, NodeId id, Span<const interpreter::Array> inputs,
                         Span<const interpreter::Array> results) = 0;
};
/// Null unless something watches.
inline thread_local NodeWatch* node_watch = nullptr;

/// While it is true, interpret() throws InternalError. Tests of compiled code set it, so that no
/// test passes by falling back to the interpreter.
inline std::atomic<bool>& interpreter_is_forbidden() {
  static auto& forbidden = *new std::atomic<bool>(false);
  return forbidden;
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/interpreter/interpret.ipp>
#endif
