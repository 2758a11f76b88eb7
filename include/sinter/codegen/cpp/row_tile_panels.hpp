#pragma once
// Finds panels of products that are the same for many row tiles, which a thread packs once.

#include <string>  // std::string

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/nest/nest.hpp>
#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/codegen/cpp/product/product_text.hpp>
#include <sinter/codegen/text/piece_kernel.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/tile/subkernels.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The text of a subkernel of a row tile, and the panels that its caller can keep for it.
struct SubkernelText {
  std::string text{};      ///< Its function takes their memory as its last buffer.
  Extent panels = 0;       ///< Their number of elements, in the subkernel's symbols; 0: none.
  DType dtype{};           ///< Of the panels.
  bool per_outer = false;  ///< Whether they change with the outer grid loops.
  bool has_tiles = false;  ///< Whether it is a product that computes several rows at a time.
  /// The same panels as those of an input that are kept between calls, if they depend on it alone;
  /// `input` is the number of a buffer of the subkernel.
  schedule::PackedInput packed_input{};
  /// Of a product: its columns, its depth, and how many columns stay with one thread.
  Extent columns = 0, depth = 0;
  int column_step = 1;
};

namespace detail {

using schedule::Subkernel;
using schedule::Subkernels;

// The instructions that the right operand of a product is computed from.
inline Vector<const Instruction*> right_operand(const Kernel& kernel, const ProductForm& form) {
  Vector<const Instruction*> result;
  for (const ValueId id : sources_of(kernel, form.right)) {
    result.push_back(&kernel.instructions[id]);
  }
  return result;
}

// Whether an index of `operand` depends on `symbol`.
inline bool is_in_index(const Vector<const Instruction*>& operand, Extent symbol) {
  return any_of(operand, [&](const Instruction* one) {
    const std::vector<Extent> extents = extents_of(*one);
    return any_of(extents, [&](Extent extent) { return depends_on(extent, symbol); });
  });
}

// Whether an index of `operand`, or the size of its panels, depends on `symbol`.
inline bool varies_with(const Vector<const Instruction*>& operand, const ProductForm& form,
                        Extent symbol) {
  const auto in_loops = [&](const Vector<Loop>& loops) {
    return depends_on(count_of(loops), symbol);
  };
  return is_in_index(operand, symbol) || in_loops(form.columns) || in_loops(form.depth);
}

// The position of the first row symbol among the symbols of the subkernels.
inline std::size_t row_symbol(const Subkernels& parts) {
  return parts.symbols.size() - (parts.clips() ? 4 : 2);
}

inline bool only_reads(const Subkernels& parts, const Subkernel& part,
                       const Vector<const Instruction*>& operand) {
  return all_of(operand, [&](const Instruction* one) {
    if (one->argument < 0) return true;
    return parts.arguments[part.arguments[one->argument]].access == Access::read;
  });
}

}  // namespace detail

/// The panels that part `part`, the product `form`, can share among row tiles; none if they depend
/// on the rows of a tile, or on what a tile computes.
inline SharedPanels shared_panels(const schedule::Subkernels& parts, std::size_t part,
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

/// Part `part` as the function `name`. `outer` is the number of outer grid loops. Threads share the
/// columns of products if the kernel divides them.
inline SubkernelText subkernel_text(const schedule::Subkernels& parts, std::size_t part,
                                    std::size_t outer, const std::string& name,
                                    const CppOptions& options) {
  const schedule::Subkernel& one = parts.kernels[part];
  const Optional<ProductForm> form = product_form(one.kernel, options.strict);
  if (!form) return {.text = nest_function(one.kernel, name, options, Linkage::not_inlined)};
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
