#pragma once
// Records nodes of a graph as lazy values.

#include <vector>  // std::vector

#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Records the values `wanted` of `graph` and their operands. known[id], if defined, is the value
/// of that node; it must be defined for all needed inputs.
std::vector<Tensor> splice(const Graph& graph, std::vector<Tensor> known, Span<const Value> wanted,
                           Where where);

/// Places a value that may have no operands on the device of `like`.
inline void follow(const Tensor& value, const Tensor& like) {
  if (!value.lazy()->evaluated()) value.lazy()->follow(*like.lazy());
}

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/subgraph/splice.ipp>
#endif
