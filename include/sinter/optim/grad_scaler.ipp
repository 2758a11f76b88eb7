#pragma once

#include <sinter/jit/compile.hpp>
#include <sinter/optim/grad_scaler.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

namespace sinter::inline SINTER_ABI::amp {

namespace detail {

SINTER_INLINE Snapshot::Snapshot() : outer_(&old_) {
  std::swap(outer_, sinter::detail::created_states);
}

SINTER_INLINE Snapshot::~Snapshot() { sinter::detail::created_states = outer_; }

SINTER_INLINE void Snapshot::restore_unless(const Tensor& keeps, Where at) {
  for (const auto& [member, before] : old_) {
    if (!before.defined() || member->lazy() == before.lazy()) continue;
    *member = where({keeps, at}, {*member, at}, {before, at});
  }
}

SINTER_INLINE void require_wide(const std::string& name, const Tensor& gradient, Where where) {
  if (gradient.dtype(where) != f16) return;
  throw DTypeError({.op = "GradScaler.unscale",
                    .what = "a gradient in f16 loses small numbers when it is unscaled",
                    .facts = {{"name", name}, {"gradient", to_string(gradient)}},
                    .rule = "parameters are f32; products are f16 under autocast",
                    .fix = "nn::to(model, f32), and amp::ScopedAutocast scope(f16) around the "
                           "forward pass",
                    .where = where,
                    .see = "dtypes"});
}

}  // namespace detail

SINTER_INLINE Tensor GradScaler::scale(Operand loss) {
  if (!enabled) return loss.tensor();
  const Where at = loss.where;
  update(at);
  const DType dtype = loss.type().dtype;
  const bool is_short = dtype == f16 || dtype == bf16;
  const Tensor wide = is_short ? sinter::detail::cast(loss, f32) : loss.tensor();
  return mul({wide, at}, {current, at});
}

SINTER_INLINE UnscaledGradients GradScaler::unscale(const Gradients& gradients, Where at) const {
  UnscaledGradients result{gradients, full({}, {true, at}, boolean)};
  if (!enabled) return result;
  const Scalar inverse(reciprocal({current, at}), at);
  for (auto& [name, gradient] : result) {
    detail::require_wide(name, gradient, at);
    const Tensor is_finite = all({isfinite({gradient, at}), at});
    result.is_finite = logical_and({result.is_finite, at}, {is_finite, at});
    gradient = mul({gradient, at}, {inverse, at});
  }
  return result;
}

SINTER_INLINE void GradScaler::note(const Tensor& is_finite, Where at) {
  const Tensor found = where({is_finite, at}, {std::int64_t{1}, at}, {std::int64_t{2}, at});
  outcome = Scalar(maximum({outcome, at}, {found, at}), at);
}

SINTER_INLINE void GradScaler::update(Where at) {
  if (!enabled) return;
  const Tensor stepped = ne({outcome, at}, {0, at}), overflowed = eq({outcome, at}, {2, at});
  const Tensor finite_steps = add({growth_tracker, at}, {1, at});
  const Tensor grows = eq({finite_steps, at}, {growth_interval, at});
  const Tensor grown = mul({current, at}, {growth_factor, at});
  const Tensor larger = where({isfinite({grown, at}), at}, {grown, at}, {current, at});
  const Tensor kept = where({grows, at}, {larger, at}, {current, at});
  const Tensor smaller = mul({current, at}, {backoff_factor, at});
  const Tensor next = where({overflowed, at}, {smaller, at}, {kept, at});
  const Tensor starts = logical_or({overflowed, at}, {grows, at});
  const Tensor tracker = where({starts, at}, {std::int64_t{0}, at}, {finite_steps, at});
  current = Scalar(where({stepped, at}, {next, at}, {current, at}), at);
  growth_tracker = Scalar(where({stepped, at}, {tracker, at}, {growth_tracker, at}), at);
  outcome = std::int64_t{0};
}

}  // namespace sinter::inline SINTER_ABI::amp
