#pragma once

#include <vector>  // std::vector

#include <sinter/runtime/interpreter/custom.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

SINTER_INLINE std::vector<RawTensor> raw_tensors(Span<const CustomArgument> arguments) {
  std::vector<RawTensor> result;
  for (const CustomArgument& one : arguments) {
    result.emplace_back(one.data, one.dtype, std::span(one.shape.data(), one.shape.size()));
  }
  return result;
}

}  // namespace detail

SINTER_INLINE Vector<CustomArgument> custom_arguments(
    Span<const TensorType> types, FunctionRef<std::int64_t(Extent symbol)> size) {
  Vector<CustomArgument> result;
  for (const TensorType& type : types) {
    CustomArgument& one = result.emplace_back();
    one.dtype = type.dtype;
    for (const Extent& extent : type.shape) one.shape.push_back(evaluate(extent, size));
  }
  return result;
}

SINTER_INLINE void call_custom(const CustomCode& code, Span<const CustomArgument> in,
                               Span<const CustomArgument> out) {
  (*code.call)(detail::raw_tensors(in), detail::raw_tensors(out));
}

SINTER_INLINE CustomTextEvaluator& custom_text_evaluator() {
  static CustomTextEvaluator evaluator = nullptr;
  return evaluator;
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
