#pragma once
// Names kernels after their operations.

#include <string>  // std::string

#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/schedule/loop/vectorize.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

inline constexpr std::size_t longest_name = 60;

inline std::string word_of(const Instruction& instruction) {
  switch (instruction.code) {
    case Code::compute:
      if (instruction.custom != nullptr) return std::string(local_name(instruction.custom->name));
      [[fallthrough]];
    case Code::reduce:
    case Code::scan:
    case Code::combine:
    case Code::sort:
      return std::string(info(instruction.op).name);
    case Code::inside:
      return instruction.op == Op::concatenate ? "concatenate" : "";
    case Code::random:
      return "random";
    case Code::bind:
      return instruction.op == Op::scatter_add ? "scatter_add" : "gather";
    default:
      return "";
  }
}

// The name of a kernel that only moves data.
inline std::string word_of_stores(const Kernel& kernel) {
  for (const Instruction& one : kernel.instructions) {
    if (one.code == Code::store && one.op == Op::concatenate) return "concatenate";
  }
  return "copy";
}

inline std::string suffix_of(const Kernel& kernel, bool is_product) {
  std::string result;
  for (const Instruction& instruction : kernel.instructions) {
    const bool stores = instruction.code == Code::store || instruction.code == Code::combine;
    if (stores) result = text("_", instruction.dtype);
    if (instruction.code == Code::sort) {
      result = text("_", kernel.arguments[instruction.source].dtype);
    }
  }
  const bool rows = loop_stage(kernel) != nullptr;
  if (!rows || is_product) return result;
  const bool runs = kernel.vector_axis == VectorAxis::none && has(kernel, Code::scan);
  return result + (runs || kernel.vector_axis == VectorAxis::stage ? "_rows" : "_columns");
}

}  // namespace detail

/// "sin_sin_f32", "max_sub_exp_sum_div_f32_rows": operations, the dtype of the result, and the
/// shape of the loops. At most 60 characters.
inline std::string name_of(const Kernel& kernel, bool is_product) {
  const std::string suffix = detail::suffix_of(kernel, is_product);
  std::string result = is_product ? "dot_general" : "";
  bool product = is_product;  // "dot_general" stands for its multiplication and sum
  for (const Instruction& instruction : kernel.instructions) {
    const std::string word = detail::word_of(instruction);
    if (word.empty() || (product && instruction.op != Op::sum)) continue;
    if (product) {
      product = false;
      continue;
    }
    if (result.size() + word.size() + suffix.size() + 6 > detail::longest_name) {
      result += "_etc";
      break;
    }
    result += result.empty() ? word : "_" + word;
  }
  return (result.empty() ? detail::word_of_stores(kernel) : result) + suffix;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
