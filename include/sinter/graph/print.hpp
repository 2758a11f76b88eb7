#pragma once
// The text form of a graph.

#include <string>  // std::string

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// "f32[64, 128]"
std::string to_string(const TensorType& type);

/// " axes=[0, 1]"
std::string print(const Attribute& attribute);

/// One line per node, "%2: f32[4] = mul %0 %1", and its bodies indented below it.
std::string to_string(const Graph& graph);

/// The attributes of a node, " axes=[0, 1]"; empty if it has none.
std::string attributes_text(const Node& node);

/// "add, model.cpp:14": the operation and the line of the user, without folders.
std::string origin(const Node& node);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/graph/print.ipp>
#endif
