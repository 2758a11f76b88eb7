#pragma once
// The text form of a graph.

#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/constant.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/custom/custom_code.hpp>
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

/// What a node is called in comments and messages.
struct Origin {
  std::string_view name{};               ///< Of the operation; empty if there is no node.
  Optional<Constant> value{};            ///< Of a constant.
  SharedPtr<const CustomCode> custom{};  ///< Which has a name of its own.
  Where where{};                         ///< The line of the user.
};
/// The origin of `node`.
Origin origin(const Node& node);

/// The operation and the user's line, with the name of the file only: "add, model.cpp:14". Empty
/// for an Origin without a node.
std::string to_string(const Origin& origin);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/graph/print.ipp>
#endif
