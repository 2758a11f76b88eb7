#pragma once
// Decides for each custom node what computes it on a device: its kernel, or its reference.

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/compile/unit/module.hpp>
#include <sinter/compile/unit/translation_unit.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// `graph` where custom nodes that have a kernel for the device have no bodies any more, and others
/// are replaced by their reference. Elementwise texts are elementwise operations where the dtypes
/// allow it.
///
/// Throws DeviceError, with the line of the node, if one has neither.
Graph resolve_custom(Graph graph, bool on_gpu);

/// compiler::load_or_compile(unit). Throws ValueError in the name of the custom operation in `plan`
/// whose text does not compile.
SharedPtr<const compiler::Module> load_or_compile(const schedule::Plan& plan,
                                                  const compiler::TranslationUnit& unit);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/rewrite/resolve_custom.ipp>
#endif
