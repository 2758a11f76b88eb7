#pragma once
// Interprets graphs of numbers and random numbers block by block, without large intermediates.

#include <sinter/base/container/optional.hpp>
#include <sinter/config.hpp>
#include <sinter/device/host/storage.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime::interpreter {

/// The elements of the only output of `graph`: the initial values of a parameter, for example.
/// Empty for graphs with inputs, symbols or other results, with operations that read other elements
/// than they write, or with few elements: these are interpreted node by node.
Optional<Storage> by_blocks(const Graph& graph);

}  // namespace sinter::inline SINTER_ABI::detail::runtime::interpreter

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/interpreter/blocks.ipp>
#endif
