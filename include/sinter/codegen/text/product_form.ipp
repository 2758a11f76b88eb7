#pragma once

#include <utility>  // std::swap

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/text/product_form.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

// The only reduction, in the only stage with loops, if that stage does nothing else.
SINTER_INLINE Optional<ProductForm> product_of_stages(const Layout& layout) {
  const Kernel& kernel = layout.kernel;
  ProductForm form;
  form.stage = form.sum = -1;
  for (std::size_t stage = 0; stage < layout.stages.size(); ++stage) {
    const bool loops = !layout.stages[stage].empty();
    if (loops && form.stage >= 0) return {};
    if (loops) form.stage = static_cast<int>(stage);
    for (const ValueId id : kernel.stages[stage].body) {
      const Code code = kernel.instructions[id].code;
      if (code == Code::scan || code == Code::sort) return {};
      if (code == Code::store && (loops || form.stage < 0)) return {};
      if (code != Code::reduce) continue;
      if (!loops || form.sum >= 0) return {};
      form.sum = id;
    }
  }
  if (form.sum < 0) return {};
  return form;
}

SINTER_INLINE bool is_matrix_of_numbers(DType dtype, bool strict) {
  return dtype != boolean && !(is_half(dtype) && strict);  // strict: each 16-bit product is rounded
}

// Sorts the grid loops into batch (loops of both factors or of none), rows and columns.
SINTER_INLINE bool find_sides(const Layout& layout, ProductForm& form) {
  const auto loops_of = [&](ValueId id) { return layout.values[id].loops; };
  if (layout.grid.empty()) return false;
  const LoopSet last = loop_at(layout.grid_depth() - 1);
  if ((loops_of(form.left) & last) != 0) std::swap(form.left, form.right);
  const LoopSet left = loops_of(form.left), right = loops_of(form.right);
  for (int position = 0; position < layout.grid_depth(); ++position) {
    const bool in_left = (left >> position & 1) != 0, in_right = (right >> position & 1) != 0;
    auto& side = in_left == in_right ? form.batch : in_left ? form.rows : form.columns;
    side.push_back(layout.grid[position]);
  }
  form.depth = layout.stages[form.stage];
  return (left & last) == 0 && (right & last) != 0;
}

// True if the extent of no loop depends on another loop.
SINTER_INLINE bool is_box(const Layout& layout) {
  const auto depends = [](const Vector<Loop>& loops) {
    return any_of(loops, [](const Loop& loop) {
      const auto used = variables(loop.extent);
      return any_of(used, [](Extent one) { return one.is_range(); });
    });
  };
  return !depends(layout.grid) && none_of(layout.stages, depends);
}

}  // namespace detail

SINTER_INLINE Optional<ProductForm> product_form(const Kernel& kernel, bool strict) {
  if (kernel.serial || kernel.vector_axis == VectorAxis::none) return {};
  if (has(kernel, Code::combine)) return {};  // a partial reduction
  if (kernel.sums_windows || schedule::has_local(kernel)) return {};
  const Layout layout(kernel);
  if (layout.is_empty() || !detail::is_box(layout)) return {};
  Optional<ProductForm> form = detail::product_of_stages(layout);
  if (!form || (!layout.checks.empty() && layout.checks[0] < form->sum)) return {};
  const auto at = [&](ValueId id) -> const Instruction& { return kernel.instructions[id]; };
  const Instruction& sum = at(form->sum);
  const Instruction& product = at(sum.operands[0]);
  const bool multiplies = product.code == Code::compute && product.op == Op::mul;
  if (sum.op != Op::sum || !multiplies || product.dtype != sum.dtype) return {};
  if (!detail::is_matrix_of_numbers(sum.dtype, strict)) return {};
  for (int stage = 0; stage <= form->stage; ++stage) {  // operands must not change meanwhile
    for (const ValueId id : kernel.stages[stage].body) {
      if (at(id).code == Code::load && pinned(kernel, at(id))) return {};
    }
  }
  form->left = product.operands[0];
  form->right = product.operands[1];
  if (!detail::find_sides(layout, *form)) return {};
  return form;
}

SINTER_INLINE Extent flat_index(const Vector<Loop>& loops) {
  Extent result = 0;
  for (const Loop& loop : loops) result = result * loop.extent + loop.variable;
  return result;
}

SINTER_INLINE Optional<Extent> flat_step(Extent index, const Vector<Loop>& loops) {
  if (loops.empty()) return Extent(0);
  const auto step = coefficient_of(index, loops.back().variable);
  Extent inner = 1;
  for (std::size_t i = loops.size(); step && i-- > 0;) {
    const auto stride = coefficient_of(index, loops[i].variable);
    if (!stride || !same(*stride, *step * inner)) return {};
    for (const Loop& loop : loops) {
      if (depends_on(*stride, loop.variable)) return {};
    }
    inner *= loops[i].extent;
  }
  return step;
}

SINTER_INLINE Optional<MatrixLines> lines_of(Extent index, const Vector<Loop>& lines,
                                             const Vector<Loop>& along) {
  const auto down = flat_step(index, lines), across = flat_step(index, along);
  const auto varies = [](Extent step) {
    return any_of(variables(step), [](Extent one) { return one.is_range(); });
  };
  if (!down || !across || varies(*down) || varies(*across)) return {};
  if (!same(*down, 1) && !same(*across, 1)) return {};
  const bool is_along = same(*across, 1);
  return MatrixLines{is_along, is_along ? *down : *across};
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
