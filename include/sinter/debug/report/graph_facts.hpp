#pragma once
// A graph as JSON: what the picture of a report shows.

#include <string>  // std::string
#include <vector>  // std::vector

#include <sinter/config.hpp>
#include <sinter/debug/report/json.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/explain/fusion_log.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

/// The names of the inputs and outputs of a graph, as far as they are known.
struct GraphNames {
  std::vector<std::string> inputs{}, outputs{};
};

/// {"nodes": [...], "outputs": [[node, name], ...]}. A node is a list: operation, types, operands
/// (a node, or "node.result"), attributes, line and module path (in `strings`), the function that
/// was called, the kernels that compute it (of `kernels`, if there are any), its name as an input,
/// and the text of its bodies.
std::string graph_json(const Graph& graph, const GraphNames& names, StringTable& strings,
                       const Vector<Vector<std::int32_t>>* kernels = nullptr);

}  // namespace sinter::inline SINTER_ABI::detail::debug

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/report/graph_facts.ipp>
#endif
