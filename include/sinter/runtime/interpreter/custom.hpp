#pragma once
// Calls the host function of a custom operation on given memory.

#include <cstdint>      // std::int64_t
#include <string_view>  // std::string_view

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/small_vector.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/device/host/storage.hpp>
#include <sinter/graph/custom/custom_code.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

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

/// Throws ValueError: the kernel of the custom operation `name` wrote to an operand, or, with
/// `outside`, to the memory around an operand or a result, with this number.
[[noreturn]] void throw_custom_wrote(std::string_view name, bool is_operand, std::int64_t number,
                                     bool outside, Where where);

/// Evaluates a custom node that has neither a host function nor a reference, from its text.
using CustomTextEvaluator = Vector<Storage> (*)(const Node& node, Span<const TensorType> inputs,
                                                Span<const Storage> memory,
                                                FunctionRef<std::int64_t(Extent symbol)> size);
CustomTextEvaluator& custom_text_evaluator();

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/interpreter/custom.ipp>
#endif
