#pragma once

// Quotients whose divisor the innermost loop does not change: the reciprocal is computed once.

#include <algorithm>  // std::max

#include <sinter/codegen/values.hpp>
#include <sinter/symbol/interval.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

SINTER_INLINE void Values::find_reciprocals() {
  for (const schedule::Stage& stage : layout_.kernel.stages) {
    for (const ValueId id : stage.body) {
      if (!is_product(id)) continue;
      reciprocals_[static_cast<std::size_t>(at(id).operands[1])] = true;
    }
  }
}

SINTER_INLINE bool Values::is_product(ValueId id) const {
  if (strict_ || at(id).code != Code::compute || at(id).op != Op::div || !varying(id)) return false;
  const ValueId divisor = at(id).operands[1];
  const auto depth_of = [&](int stage) {
    return layout_.grid_depth() +
           static_cast<int>(layout_.stages[static_cast<std::size_t>(stage)].size());
  };
  int innermost = 0;
  for (std::size_t s = 0; s < layout_.stages.size(); ++s) {
    innermost = std::max(innermost, depth_of(static_cast<int>(s)));
  }
  const int depth = dependence(id).depth;
  if (depth != innermost || dependence(divisor).depth >= depth) return false;
  if (at(divisor).code == Code::constant || at(id).operands[0] == divisor) return false;
  return bounds(layout_.loop(dependence(id).stage, depth - 1).extent).max > lanes_;
}

// The reciprocal of a number near either end of its range is no normal number, so that of a
// multiple is taken: x / d = x * (1 / (d * scale)) * scale, where `scale` is a power of two.
SINTER_INLINE void Values::write_reciprocal(ValueId id, const Instance& instance) {
  if (!reciprocals_[static_cast<std::size_t>(id)]) return;
  const std::string divisor = name(id, instance),
                    of = instance_name(dependence(id).loops, instance);
  const std::string type = type_name(vector_of(at(id).dtype));
  const std::string scale = text("reciprocal_scale_", suffix(type_of(id)), "(", divisor, ")");
  const std::string value = text("1 / (", divisor, " * ", scale, ")");
  const auto lanes = [&](const std::string& one) {
    return varying(id) ? one : splat(one, at(id).dtype);
  };
  out_.line(text("const ", type, " scale", id, of, " = ", lanes(scale), ";"));
  out_.line(text("const ", type, " reciprocal", id, of, " = ", lanes(value), ";"));
}

SINTER_INLINE std::string Values::product_text(ValueId id, const Instance& instance) const {
  const ValueId divisor = at(id).operands[1];
  const std::string of = text(divisor, instance_name(dependence(divisor).loops, instance));
  return text(operand(at(id).operands[0], instance, true), " * reciprocal", of, " * scale", of);
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
