#pragma once

#include <cstddef>  // std::byte
#include <cstring>  // std::memcmp, std::memcpy
#include <utility>  // std::move

#include <sinter/graph/control.hpp>
#include <sinter/runtime/interpreter/control.hpp>
#include <sinter/runtime/interpreter/creation.hpp>
#include <sinter/runtime/interpreter/custom.hpp>
#include <sinter/runtime/interpreter/data_error.hpp>
#include <sinter/schedule/ir/custom_stages.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

SINTER_INLINE Vector<RawTensor> raw_tensors(Span<const CustomArgument> arguments) {
  Vector<RawTensor> result;
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
  static constexpr std::size_t guard = guard_bytes;
  static constexpr std::byte pattern{guard_pattern};

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

}  // namespace sinter::inline SINTER_ABI::detail::runtime

namespace sinter::inline SINTER_ABI::detail::runtime::interpreter {

namespace detail {

SINTER_INLINE Vector<Array> run_host_function(const Node& node, Span<const Array> inputs,
                                              SymbolSize size) {
  Vector<Storage> memory;
  Vector<CustomArgument> in;
  for (const Array& input : inputs.subspan(0, custom_operands(node))) {
    memory.push_back(storage_of(input, node.where));
    in.push_back({input.dtype, input.shape, memory.back().data()});
  }
  Vector<Array> results;
  Vector<CustomArgument> out = custom_arguments({node.results.data(), node.results.size()}, size);
  for (CustomArgument& one : out) {
    results.push_back(make_dense(one.dtype, one.shape, node.where));
    one.data = results.back().data();
  }
  call_custom(custom_code(node), in, out);
  return results;
}

}  // namespace detail

SINTER_INLINE Vector<Array> interpret_custom(const Node& node, Span<const Array> inputs,
                                             SymbolSize size) {
  if (custom_code(node).call != nullptr) return detail::run_host_function(node, inputs, size);
  if (const Graph* const reference = reference_of(node)) {
    return run_body(*reference, inputs, size, node.where);
  }
  Vector<Storage> memory;
  Vector<TensorType> types;
  for (const Array& input : inputs) {
    memory.push_back(storage_of(input, node.where));
    types.push_back({input.dtype, {}});
    for (const std::int64_t extent : input.shape) types.back().shape.push_back(extent);
  }
  Vector<Storage> outputs = custom_stages().evaluate_text(node, types, memory, size);
  Vector<Array> results;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    results.push_back(array_of(node.results[i], std::move(outputs[i]), size));
  }
  return results;
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime::interpreter
