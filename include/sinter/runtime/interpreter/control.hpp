#pragma once
// Control flow in the interpreter: it interprets the bodies, which are graphs.

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/runtime/interpreter/array.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime::interpreter {

/// The elements of `x`, dense, in a storage that holds nothing else.
Storage storage_of(const Array& x, Where where);

/// An array of this type over all of `storage`.
Array array_of(const TensorType& type, Storage storage,
               FunctionRef<std::int64_t(Extent symbol)> size);
/// The outputs of `body`.
Vector<Array> run_body(const Graph& body, Span<const Array> inputs,
                       FunctionRef<std::int64_t(Extent symbol)> size, Where where);

/// The results of a control-flow node; `size` gives the values of symbols. Only the taken branch
/// runs.
Vector<Array> control(const Node& node, Span<const Array> inputs,
                      FunctionRef<std::int64_t(Extent symbol)> size);

}  // namespace sinter::inline SINTER_ABI::detail::runtime::interpreter

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/interpreter/control.ipp>
#endif
