#pragma once
// How the interpreter runs control flow: bodies are graphs that it interprets.

#include <span>    // std::span
#include <vector>  // std::vector

#include <sinter/base/function_ref.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/runtime/interpreter/array.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime::interpreter {

/// The elements of `x` in memory that holds nothing else.
Storage storage_of(const Array& x, Where where);

/// The results of a node of control flow where symbols have the sizes that `size` gives. Only the
/// branch that is taken runs.
std::vector<Array> control(const Node& node, std::span<const Array> inputs,
                           FunctionRef<std::int64_t(Extent symbol)> size);

}  // namespace sinter::inline SINTER_ABI::detail::runtime::interpreter

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/interpreter/control.ipp>
#endif
