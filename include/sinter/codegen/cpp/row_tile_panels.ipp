#pragma once

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/function.hpp>
#include <sinter/codegen/cpp/row_tile_panels.hpp>
#include <sinter/codegen/text/piece_kernel.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

using schedule::Subkernel;
using schedule::Subkernels;

// The instructions that the right operand of a product is computed from.
SINTER_INLINE Vector<const Instruction*> right_operand(const Kernel& kernel,
                                                       const ProductForm& form) {
  Vector<const Instruction*> result;
  for (const ValueId id : sources_of(kernel, form.right)) {
    result.push_back(&kernel.instructions[id]);
  }
  return result;
}

// Whether an index of `operand` depends on `symbol`.
SINTER_INLINE bool is_in_index(const Vector<const Instruction*>& operand, Extent symbol) {
  return any_of(operand, [&](const Instruction* one) {
    const std::vector<Extent> extents = extents_of(*one);
    return any_of(extents, [&](Extent extent) { return depends_on(extent, symbol); });
  });
}

// Whether an index of `operand`, or the size of its panels, depends on `symbol`.
SINTER_INLINE bool varies_with(const Vector<const Instruction*>& operand, const ProductForm& form,
                               Extent symbol) {
  const auto in_loops = [&](const Vector<Loop>& loops) {
    return depends_on(count_of(loops), symbol);
  };
  return is_in_index(operand, symbol) || in_loops(form.columns) || in_loops(form.depth);
}

// The position of the first row symbol among the symbols of the subkernels.
SINTER_INLINE std::size_t row_symbol(const Subkernels& parts) {
  return parts.symbols.size() - (parts.clips() ? 4 : 2);
}

SINTER_INLINE bool only_reads(const Subkernels& parts, const Subkernel& part,
                              const Vector<const Instruction*>& operand) {
  return all_of(operand, [&](const Instruction* one) {
    if (one->argument < 0) return true;
    return parts.arguments[part.arguments[one->argument]].access == Access::read;
  });
}

}  // namespace detail

SINTER_INLINE SharedPanels shared_panels(const schedule::Subkernels& parts, std::size_t part,
                                         const ProductForm& form) {
  const schedule::Subkernel& one = parts.kernels[part];
  if (!one.is_product || !form.batch.empty()) return {};
  const auto operand = detail::right_operand(one.kernel, form);
  const std::size_t row = detail::row_symbol(parts);
  if (!detail::only_reads(parts, one, operand)) return {};
  for (const std::size_t symbol : {row, row + 1}) {
    if (detail::varies_with(operand, form, parts.symbols[symbol])) return {};
  }
  // Then the panels of different row tiles begin with different elements.
  if (parts.clips() && detail::is_in_index(operand, parts.symbols[row + 2])) return {};
  const auto at_last = [&](Extent extent) {
    if (!parts.clips()) return extent;
    return substitute(extent, parts.symbols[row + 2], parts.symbols[row + 3]);
  };
  return {.buffer = static_cast<std::int32_t>(one.arguments.size()),
          .depth = at_last(count_of(form.depth)),
          .columns = at_last(count_of(form.columns))};
}

SINTER_INLINE SubkernelText subkernel_text(const schedule::Subkernels& parts, std::size_t part,
                                           std::size_t outer, const std::string& name,
                                           const CppOptions& options) {
  const schedule::Subkernel& one = parts.kernels[part];
  const Optional<ProductForm> form = product_form(one.kernel, options.strict);
  if (!form) return {.text = cpp_function(one.kernel, name, options, Linkage::not_inlined)};
  ProductText product(one.kernel, *form, options, shared_panels(parts, part, *form),
                      parts.can_share_columns());
  SubkernelText result{.text = product.function(name, Linkage::not_inlined)};
  result.has_tiles = form->batch.empty();
  result.columns = count_of(form->columns);
  result.depth = count_of(form->depth);
  result.column_step = product.column_step();
  if (!product.has_shared_panels()) return result;
  result.panels = product.shared_panel_elements();
  result.dtype = product.panel_dtype();
  const auto operand = detail::right_operand(one.kernel, *form);
  const std::size_t row = detail::row_symbol(parts);
  for (std::size_t i = row - outer; i < row; ++i) {
    const bool clips = parts.clips() && depends_on(parts.last_end, parts.symbols[i]);
    if (clips || detail::varies_with(operand, *form, parts.symbols[i])) result.per_outer = true;
  }
  const ProductText alone(one.kernel, *form, options);
  if (!result.per_outer) result.packed_input = alone.caller_packed_input();
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
