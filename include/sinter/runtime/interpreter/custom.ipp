#pragma once

#include <cstddef>  // std::byte
#include <cstring>  // std::memcmp, std::memcpy
#include <vector>   // std::vector

#include <sinter/base/error.hpp>
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

// A copy of an argument between two guards.
class GuardedArgument {
 public:
  GuardedArgument(const CustomArgument& original, bool is_operand)
      : original_(original), bytes_(info(original.dtype).size) {
    for (const std::int64_t extent : original.shape) bytes_ *= static_cast<std::size_t>(extent);
    memory_.resize(bytes_ + 2 * guard, pattern);
    if (is_operand && bytes_ != 0) std::memcpy(data(), original.data, bytes_);
  }

  CustomArgument argument() { return {original_.dtype, original_.shape, data()}; }
  bool is_intact() const {
    const auto is_guard = [&](std::size_t at) { return memory_[at] == pattern; };
    for (std::size_t i = 0; i < guard; ++i) {
      if (!is_guard(i) || !is_guard(guard + bytes_ + i)) return false;
    }
    return true;
  }
  bool is_unchanged() const {
    return bytes_ == 0 || std::memcmp(memory_.data() + guard, original_.data, bytes_) == 0;
  }
  void write_back() const {
    if (bytes_ != 0) std::memcpy(original_.data, memory_.data() + guard, bytes_);
  }

 private:
  static constexpr std::size_t guard = 256;
  static constexpr std::byte pattern{0xa5};

  void* data() { return memory_.data() + guard; }

  const CustomArgument& original_;
  std::size_t bytes_;
  Vector<std::byte> memory_{};
};

SINTER_INLINE void call_guarded(const CustomCode& code, Span<const CustomArgument> in,
                                Span<const CustomArgument> out) {
  Vector<GuardedArgument> operands, results;
  Vector<CustomArgument> given, made;
  for (const CustomArgument& one : in) operands.emplace_back(one, true);
  for (const CustomArgument& one : out) results.emplace_back(one, false);
  for (GuardedArgument& one : operands) given.push_back(one.argument());
  for (GuardedArgument& one : results) made.push_back(one.argument());
  (*code.call)(raw_tensors(given), raw_tensors(made));
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool is_intact = operands[i].is_intact();
    if (is_intact && operands[i].is_unchanged()) continue;
    throw_custom_wrote(code.name, true, static_cast<std::int64_t>(i), !is_intact, code.where);
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].is_intact()) {
      results[i].write_back();
    } else {
      throw_custom_wrote(code.name, false, static_cast<std::int64_t>(i), true, code.where);
    }
  }
}

}  // namespace detail

SINTER_INLINE void throw_custom_wrote(std::string_view name, bool is_operand, std::int64_t number,
                                      bool outside, Where where) {
  throw ValueError({.op = name,
                    .what = outside ? "a kernel of the user writes outside of its memory"
                                    : "a kernel of the user writes to an operand",
                    .facts = {{outside ? "around" : "changed",
                               text(is_operand ? "operand " : "result ", number)}},
                    .rule = "it writes the elements of its results, and nothing else",
                    .fix = "compare its loops with the sizes that it gets",
                    .where = where,
                    .see = "custom-operations"});
}

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
  if (checks_custom()) return detail::call_guarded(code, in, out);
  (*code.call)(detail::raw_tensors(in), detail::raw_tensors(out));
}

SINTER_INLINE CustomTextEvaluator& custom_text_evaluator() {
  static CustomTextEvaluator evaluator = nullptr;
  return evaluator;
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
