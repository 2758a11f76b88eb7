#pragma once
// Values of a graph as values of the program.

#include <span>    // std::span
#include <vector>  // std::vector

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The values `wanted` of `graph`, recorded with what they need. Where known[id] is defined, it is
/// the value of that node; all inputs of the graph that are needed are.
std::vector<Tensor> splice(const Graph& graph, std::vector<Tensor> known,
                           std::span<const Value> wanted, Where where);

/// A value that may be computed of nothing is computed where `like` is.
inline void follow(const Tensor& value, const Tensor& like) {
  if (!value.lazy()->evaluated()) value.lazy()->follow(*like.lazy());
}

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/subgraph/splice.ipp>
#endif
