#pragma once

#include <sinter/base/container/vector.hpp>
#include <sinter/graph/custom/kernel_choice.hpp>
#include <sinter/schedule/lower/custom_kernel.hpp>
#include <sinter/symbol/shape.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

SINTER_INLINE void append_extents(std::vector<Extent>& sizes, const TensorType& type) {
  for (const Extent& extent : type.shape) sizes.push_back(extent);
}

// The sizes that a function with `count` parameters for them takes; an error if there is no rule.
SINTER_INLINE std::vector<Extent> custom_sizes(const Node& node, Span<const TensorType> types,
                                               std::size_t count) {
  std::vector<Extent> result, operands, all;
  append_extents(result, node.results[0]);
  for (const TensorType& type : types) append_extents(operands, type);
  all = operands;
  for (const TensorType& type : node.results) append_extents(all, type);
  if (count == 0) return {};
  if (count == 1) return {numel(node.results[0].shape)};
  for (const auto& sizes : {result, operands, all}) {
    if (sizes.size() == count) return sizes;
  }
  throw ValueError({.op = custom_code(node).name,
                    .what = text("the function takes ", count, " sizes"),
                    .facts = {{"axes of the first result", text(result.size())},
                              {"axes of the operands", text(operands.size())},
                              {"axes of operands and results", text(all.size())}},
                    .rule = "behind the pointers it takes no size, the number of elements of the "
                            "first result, its extents, the extents of the operands in order, or "
                            "those of the operands and results",
                    .fix = "take as many sizes as one of these",
                    .where = node.where,
                    .see = "custom-operations"});
}

SINTER_INLINE std::string kernel_name(std::string_view name) {
  std::string result;
  for (const char c : name) {
    const bool in_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (in_word || (!result.empty() && result.back() != '_')) result += in_word ? c : '_';
  }
  return result;
}

}  // namespace detail

SINTER_INLINE CustomKernel lower_custom(const Node& node, Span<const TensorType> types,
                                        const UserFunction& function, bool guarded) {
  CustomKernel result;
  Kernel& kernel = result.kernel;
  Launch& launch = result.launch;
  kernel.custom = shared_custom_code(node);
  kernel.name = detail::kernel_name(kernel.custom->name);
  kernel.serial = true;
  for (const TensorType& type : types) {
    kernel.arguments.push_back({type.dtype, Access::read});
    launch.bytes_read += numel(type.shape) * Extent(info(type.dtype).size);
  }
  for (const TensorType& type : node.results) {
    kernel.arguments.push_back({type.dtype, Access::write});
    launch.bytes_written += numel(type.shape) * Extent(info(type.dtype).size);
  }
  // An elementwise function is called in a loop over the elements.
  const std::size_t pointers =
      function.is_elementwise() ? function.parameters.size() : types.size() + node.results.size();
  launch.sizes = detail::custom_sizes(node, types, function.parameters.size() - pointers);
  launch.sizes.push_back(numel(node.results[0].shape));
  launch.work = launch.sizes.back();
  kernel.guarded = guarded;
  if (guarded) {
    for (const TensorType& type : types) launch.sizes.push_back(numel(type.shape));
    for (const TensorType& type : node.results) launch.sizes.push_back(numel(type.shape));
    CalledFunction called = called_function(node);
    called.name = kernel.custom->name.c_str();
    launch.checks = {{.op = Op::custom, .called = called}};
  }
  for (std::uint32_t i = 0; i < launch.sizes.size(); ++i) {
    kernel.symbols.push_back(Extent::symbol(i, {}));
  }
  launch.lines = {node.where};
  return result;
}

SINTER_INLINE CustomKernel lower_custom(const Node& node, Span<const TensorType> types) {
  const auto& kernel = attribute<std::string>(node, "kernel");
  return lower_custom(node, types, chosen_function(custom_code(node), kernel),
                      checks_custom() && is_cpp(kernel));
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
