#pragma once
// Custom operations in the interpreter, and the calls of their host functions on given memory.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int64_t

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/small_vector.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/custom/custom_code.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/runtime/interpreter/array.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// Under SINTER_CHECK, so many bytes of this pattern stand before and behind each argument of a
/// custom operation, to find writes outside of it.
inline constexpr std::size_t guard_bytes = 256;
inline constexpr unsigned char guard_pattern = 0xa5;

/// An operand or result of a custom operation in one call.
struct CustomArgument {
  DType dtype{};
  SmallVector<std::int64_t, 8> shape{};
  void* data = nullptr;
};

/// Arguments of these types without memory, where symbols have the sizes `size`.
Vector<CustomArgument> custom_arguments(Span<const TensorType> types,
                                        FunctionRef<std::int64_t(Extent symbol)> size);

/// Calls the host function of `code`, which has one. What it throws arrives at the caller. Under
/// SINTER_CHECK it gets copies between guards; throws ValueError if it writes outside of results.
void call_custom(const CustomCode& code, Span<const CustomArgument> in,
                 Span<const CustomArgument> out);

}  // namespace sinter::inline SINTER_ABI::detail::runtime

namespace sinter::inline SINTER_ABI::detail::runtime::interpreter {

/// The results of a custom node; `size` gives the values of symbols.
Vector<Array> interpret_custom(const Node& node, Span<const Array> inputs,
                               FunctionRef<std::int64_t(Extent symbol)> size);

}  // namespace sinter::inline SINTER_ABI::detail::runtime::interpreter

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/interpreter/custom.ipp>
#endif
