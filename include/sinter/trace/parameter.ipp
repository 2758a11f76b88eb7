#pragma once

#include <algorithm>  // std::find_if

#include <sinter/trace/elementwise.hpp>
#include <sinter/trace/parameter.hpp>
#include <sinter/trace/record.hpp>
#include <sinter/trace/reduce.hpp>

namespace sinter::inline SINTER_ABI {

SINTER_INLINE const Tensor& Gradients::operator[](std::string_view name) const {
  const auto entry = std::find_if(list_.begin(), list_.end(),
                                  [&](const auto& pair) { return pair.first == name; });
  if (entry != list_.end()) return entry->second;
  std::vector<std::string> names;
  for (const auto& [known, gradient] : list_) names.push_back(known);
  throw ValueError({.op = "gradients",
                    .what = "there is no gradient of this name",
                    .facts = {{"name", std::string(name)}, {"names", text(names)}},
                    .rule = "a gradient has the dotted name of its parameter",
                    .fix = "contains(name) tells; nn::named_parameters(module) lists the names",
                    .see = "gradients"});
}

SINTER_INLINE Tensor& Gradients::operator[](std::string_view name) {
  return const_cast<Tensor&>(std::as_const(*this)[name]);
}

SINTER_INLINE bool Gradients::contains(std::string_view name) const {
  return std::any_of(list_.begin(), list_.end(),
                     [&](const auto& pair) { return pair.first == name; });
}

SINTER_INLINE Tensor clip_grad_norm(Gradients& gradients, Operand max_norm) {
  const Where at = max_norm.where;
  Tensor total = constant_tensor(constant(0), {f32, {}}, at);
  for (const auto& [name, gradient] : gradients) {
    total = add({total, at}, {sum({square({gradient, at}), at}), at});
  }
  const Tensor norm = sqrt({total, at});
  const Tensor factor = minimum({div(max_norm, {add({norm, at}, {1e-6, at}), at}), at}, {1, at});
  for (auto& [name, gradient] : gradients) gradient = mul({gradient, at}, {factor, at});
  return norm;
}

}  // namespace sinter::inline SINTER_ABI
