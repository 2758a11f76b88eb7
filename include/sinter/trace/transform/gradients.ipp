#pragma once

#include <cmath>      // std::isinf

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/error.hpp>
#include <sinter/trace/context/division.hpp>
#include <sinter/trace/context/division_hooks.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/transform/gradients.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE std::vector<std::string> names_in(const Gradients& gradients) {
  std::vector<std::string> result;
  for (const auto& [name, gradient] : gradients) result.push_back(name);
  return result;
}

SINTER_INLINE void require_names(const Gradients& lhs, const Gradients& rhs, Where at) {
  const std::vector<std::string> left = names_in(lhs), right = names_in(rhs);
  if (std::is_permutation(left.begin(), left.end(), right.begin(), right.end())) return;
  throw ValueError({.op = "gradients",
                    .what = "the names of gradients that are added differ",
                    .facts = {{"lhs", text(left)}, {"rhs", text(right)}},
                    .rule = "both are gradients of the same parameters",
                    .fix = "add gradients that value_and_grad gave for one module and one select",
                    .where = at,
                    .see = "gradients"});
}

SINTER_INLINE void require_shape_of_sum(const std::string& name, const Tensor& lhs,
                                        const Tensor& rhs, Where at) {
  bool is_same = lhs.ndim(at) == rhs.ndim(at);
  for (int dim = 0; is_same && dim < lhs.ndim(); ++dim) {
    is_same = equal_sizes(lhs.size(dim), rhs.size(dim), at);
  }
  if (is_same) return;
  throw ShapeError({.op = "gradients",
                    .what = "the shapes of gradients that are added differ",
                    .facts = {{"name", name}, {"lhs", to_string(lhs)}, {"rhs", to_string(rhs)}},
                    .rule = "gradients have the shapes of the parameters",
                    .fix = "add gradients that value_and_grad gave for one module",
                    .where = at,
                    .see = "gradients"});
}

// The contribution of `x` to the norm before the final root: sum(|x|^p), or max |x|.
SINTER_INLINE Tensor power_of_norm(const Tensor& x, double norm_type, Where at) {
  const DType dtype = x.dtype(at);
  const Tensor wide = dtype == f16 || dtype == bf16 ? x.to(f32, at) : x;
  if (norm_type == 2) return sum({square({wide, at}), at});
  const Tensor size = abs({wide, at});
  if (!std::isinf(norm_type)) return sum({pow({size, at}, {norm_type, at}), at});
  return is_size(x.numel(), 0, at) ? zeros({}, size.dtype(), at) : sinter::max({size, at});
}

// `x`, one element, as a weak scalar, so that gradients times it keep their dtype.
SINTER_INLINE Operand weak(const Operand& x) {
  const auto* const tensor = x.value.get_if<Tensor>();
  return tensor == nullptr ? x : Operand(Scalar(*tensor, x.where), x.where);
}

// power_of_norm() of all gradients. Where each rank has a part, the parts of all ranks count.
SINTER_INLINE Tensor total_power(const Gradients& gradients, double norm_type, Where at) {
  const bool is_maximum = std::isinf(norm_type);
  const auto combine = [&](const Tensor& x, const Tensor& y) {
    return is_maximum ? maximum({x, at}, {y, at}) : add({x, at}, {y, at});
  };
  Tensor total = constant_tensor(constant(0), {f32, {}}, at), of_parts;
  int group = -1;
  std::size_t i = 0;
  for (const auto& [name, gradient] : gradients) {
    const Tensor power = power_of_norm(gradient, norm_type, at);
    const int among = gradients.divided_among(i++);
    if (among < 0) {
      total = combine(total, power);
    } else {
      of_parts = of_parts.defined() ? combine(of_parts, power) : power;
      group = among;
    }
  }
  if (group < 0) return total;
  return combine(total, division_hooks.total(of_parts, is_maximum, group, at));
}

SINTER_INLINE Tensor like_whole(const Tensor& x, Where where) {
  const Division* const division = division_of(x);
  if (division == nullptr) return x;
  Tensor result = zeros(Shape(division->shape), x.dtype(where), where);
  set_division(result, division);
  return result;
}

// `result` in place of `gradient`, divided as it.
SINTER_INLINE void replace_gradient(Tensor& gradient, Tensor result) {
  set_division(result, division_of(gradient));
  gradient = std::move(result);
}

SINTER_INLINE void require_norm_type(double norm_type, Where at) {
  if (norm_type > 0) return;
  throw ValueError({.op = "clip_grad_norm",
                    .what = "there is no norm of this type",
                    .facts = {{"norm_type", text(norm_type)}},
                    .rule = "norm_type > 0",
                    .fix = "2 is the usual one; infinity takes the largest element",
                    .where = at,
                    .see = "gradients"});
}

}  // namespace detail

SINTER_INLINE bool Gradients::contains(std::string_view name) const {
  return detail::any_of(list_, [&](const auto& pair) { return pair.first == name; });
}

SINTER_INLINE Gradients& Gradients::operator+=(detail::Located<Gradients> other) {
  if (empty()) return *this = std::move(other.value);
  detail::require_names(*this, other.value, other.where);
  for (auto& [name, gradient] : list_) {
    detail::require_shape_of_sum(name, gradient, other.value[name], other.where);
  }
  for (auto& [name, gradient] : list_) {
    detail::replace_gradient(gradient,
                             add({gradient, other.where}, {other.value[name], other.where}));
  }
  return *this;
}

SINTER_INLINE Gradients& Gradients::operator*=(Operand factor) {
  for (auto& [name, gradient] : list_) {
    detail::replace_gradient(gradient, mul({gradient, factor.where}, detail::weak(factor)));
  }
  return *this;
}

SINTER_INLINE Gradients& Gradients::operator/=(Operand divisor) {
  for (auto& [name, gradient] : list_) {
    detail::replace_gradient(gradient, div({gradient, divisor.where}, detail::weak(divisor)));
  }
  return *this;
}

SINTER_INLINE Gradients zeros_like(const Gradients& gradients, Where where) {
  Gradients result = gradients;
  std::size_t i = 0;
  for (auto& [name, gradient] : result) {  // of parameters, which may be parts, they are whole
    const bool is_part = result.divided_among(i++) >= 0;
    const Tensor like = is_part ? gradient : detail::like_whole(gradient, where);
    detail::replace_gradient(gradient, zeros_like(Operand{like, where}));
  }
  return result;
}

SINTER_INLINE Tensor clip_grad_norm(Gradients& gradients, Operand max_norm, double norm_type) {
  const Where at = max_norm.where;
  detail::require_norm_type(norm_type, at);
  const Tensor total = detail::total_power(gradients, norm_type, at);
  Tensor norm = total;
  if (norm_type == 2) norm = sqrt({total, at});
  if (norm_type != 2 && !std::isinf(norm_type)) norm = pow({total, at}, {1 / norm_type, at});
  const Tensor factor = minimum({div(max_norm, {add({norm, at}, {1e-6, at}), at}), at}, {1, at});
  gradients *= {factor, at};
  return norm;
}

SINTER_INLINE void clip_grad_value(Gradients& gradients, Operand clip_value) {
  const Where at = clip_value.where;
  const Operand limit = detail::weak(clip_value);
  for (auto& [name, gradient] : gradients) {  // -min(-g, limit), because limit may be a number
    const Tensor lower = minimum({neg({gradient, at}), at}, limit);
    detail::replace_gradient(gradient, minimum({neg({lower, at}), at}, limit));
  }
}

SINTER_INLINE Gradients::Gradients(std::vector<std::pair<std::string, Tensor>> list)
    : list_(std::move(list)) {}

SINTER_INLINE std::size_t Gradients::size() const { return list_.size(); }
SINTER_INLINE std::pair<std::string, Tensor>* Gradients::begin() { return list_.data(); }
SINTER_INLINE const std::pair<std::string, Tensor>* Gradients::begin() const {
  return list_.data();
}

SINTER_INLINE Gradients operator+(Gradients lhs, const detail::Located<Gradients>& rhs) {
  return std::move(lhs += rhs);
}
SINTER_INLINE Gradients operator*(Gradients lhs, const Operand& factor) {
  return std::move(lhs *= factor);
}
SINTER_INLINE Gradients operator/(Gradients lhs, const Operand& divisor) {
  return std::move(lhs /= divisor);
}

SINTER_INLINE const Tensor& Gradients::operator[](ParameterName name) const {
  std::vector<std::string_view> names;
  for (const auto& [known, gradient] : list_) {
    if (known == name.value) return gradient;
    names.push_back(known);
  }
  throw ValueError({.op = "gradients",
                    .what = "there is no gradient of this name",
                    .facts = {{"name", std::string(name.value)}, {"names", detail::text(names)}},
                    .rule = "a gradient has the dotted name of its parameter",
                    .fix = "contains(name) tells; nn::named_parameters(module) lists the names",
                    .where = name.where,
                    .see = "gradients"});
}

}  // namespace sinter::inline SINTER_ABI
