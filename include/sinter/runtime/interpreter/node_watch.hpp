#pragma once
// Sees each operation that the interpreter evaluates on this thread: for checks of numerics.

#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/runtime/interpreter/array.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

class NodeWatch {
 public:
  virtual ~NodeWatch() = default;
  /// Node `id` of `graph` gave `results` for `inputs`. The nodes of a body come before its loop.
  virtual void evaluated(const Graph& graph, NodeId id, Span<const interpreter::Array> inputs,
                         Span<const interpreter::Array> results) = 0;
};
/// Null unless something watches.
inline thread_local NodeWatch* node_watch = nullptr;

}  // namespace sinter::inline SINTER_ABI::detail::runtime
