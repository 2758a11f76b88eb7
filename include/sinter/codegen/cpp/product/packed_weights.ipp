#pragma once

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/product/decision.hpp>
#include <sinter/codegen/cpp/product/packed_weights.hpp>
#include <sinter/codegen/text/piece_kernel.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

// The only argument that `right` is computed from, if it is call-invariant and `right` is the same
// for the whole batch; else -1.
SINTER_INLINE std::int32_t source_of_right(const ProductDecision& how) {
  std::int32_t result = -1;
  for (const ValueId id : sources_of(how.kernel, how.right_value)) {
    const Instruction& one = how.kernel.instructions[id];
    if (one.code == Code::random) return -1;
    for (const Extent extent : extents_of(one)) {
      const auto depends = [&](const Loop& loop) { return depends_on(extent, loop.variable); };
      if (any_of(how.form.batch, depends)) return -1;
      for (const Extent variable : variables(extent)) {
        if (variable.is_symbol()) return -1;
      }
    }
    if (one.code != Code::load) continue;
    if (result >= 0 && result != one.argument) return -1;
    if (!how.kernel.arguments[one.argument].call_invariant) return -1;
    result = one.argument;
  }
  return result;
}

}  // namespace detail

SINTER_INLINE std::int32_t call_invariant_argument(const ProductDecision& how) {
  if (!how.columns.is_number() || !how.depth.is_number() || how.packs_by_depth_blocks()) return -1;
  if (how.options.tuning != Tuning{}) return -1;  // tuned kernels do not share panels
  const std::int32_t source = detail::source_of_right(how);
  if (source < 0) return -1;
  const schedule::Argument& argument = how.kernel.arguments[source];
  const auto size = static_cast<std::int64_t>(info(argument.dtype).size);
  const bool small =
      argument.elements.is_number() &&
      packed_input_of(how, source).bytes <= 2 * argument.elements.number() * size + (1 << 16);
  return small ? source : -1;
}

SINTER_INLINE schedule::PackedInput packed_input_of(const ProductDecision& how,
                                                    std::int32_t source) {
  if (source < 0) return {};
  const std::int64_t panels = (how.columns.number() + how.pitch - 1) / how.pitch;
  const std::int64_t elements = panels * how.pitch * how.panel_depth(how.depth).number();
  std::int32_t buffer = 0;
  for (std::int32_t i = 0; i < source; ++i) {
    buffer += how.kernel.arguments[i].access != Access::local;
  }
  return {.input = buffer,
          .bytes = detail::packed_header_bytes +
                   elements * static_cast<std::int64_t>(info(how.packed).size)};
}

SINTER_INLINE Extent shared_panel_elements(const ProductDecision& how) {
  return floor_div(how.shared.columns + (how.pitch - 1), how.pitch) * how.pitch *
         how.panel_depth(how.shared.depth);
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
