#pragma once
// Evaluates custom nodes that only have a text outside of compiled functions: compiles it alone.

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/device/host/storage.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// The results of the custom `node` for operands of the types `inputs` in `memory`.
///
/// Throws ValueError if there is no compiler, or as compiling the text does.
Vector<Storage> evaluate_custom_text(const Node& node, Span<const TensorType> inputs,
                                     Span<const Storage> memory,
                                     FunctionRef<std::int64_t(Extent symbol)> size);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/eager/custom_text.ipp>
#endif
