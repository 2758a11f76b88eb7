#pragma once
// Draws initial values block by block, on all threads and without large intermediates.

#include <sinter/base/container/optional.hpp>
#include <sinter/config.hpp>
#include <sinter/device/host/storage.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// The elements of the only output of `graph`: the initial values of a parameter, for example.
/// Empty for graphs with inputs, symbols or other results, with operations that read other elements
/// than they write, or with few elements: these are interpreted node by node.
Optional<Storage> by_blocks(const Graph& graph);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/eager/blocks.ipp>
#endif
