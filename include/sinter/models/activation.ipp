#pragma once

#include <utility>  // std::pair

#include <sinter/models/activation.hpp>

namespace sinter::inline SINTER_ABI::models {

namespace detail {

inline constexpr std::pair<std::string_view, Activation> activations[] = {
    {"gelu", Activation::gelu},
    {"gelu_new", Activation::gelu_tanh},
    {"gelu_fast", Activation::gelu_tanh},
    {"gelu_pytorch_tanh", Activation::gelu_tanh},
    {"quick_gelu", Activation::quick_gelu},
    {"relu", Activation::relu},
    {"silu", Activation::silu},
    {"swish", Activation::silu},
    {"sigmoid", Activation::sigmoid},
    {"tanh", Activation::tanh}};

SINTER_INLINE Activation activation_named(const std::string& name, std::string_view option,
                                          std::string_view model, Where where) {
  std::string known;
  for (const auto& [word, kind] : activations) {
    if (word == name) return kind;
    known.append(known.empty() ? "" : ", ").append(word);
  }
  throw ValueError({.op = model,
                    .what = "there is no activation of this name",
                    .facts = {{option, name}},
                    .rule = "activations: " + known,
                    .fix = "use one of these names",
                    .where = where});
}

}  // namespace detail

SINTER_INLINE Activate::Activate(const std::string& name, std::string_view option,
                                 std::string_view model, Where where)
    : kind(detail::activation_named(name, option, model, where)) {}

SINTER_INLINE Tensor Activate::forward(Operand x) const {
  switch (kind) {
    case Activation::gelu:
      return gelu(x, Gelu::exact);
    case Activation::gelu_tanh:
      return gelu(x, Gelu::tanh);
    case Activation::quick_gelu:
      return x.tensor() * sigmoid(x.tensor() * 1.702);
    case Activation::relu:
      return relu(x);
    case Activation::silu:
      return silu(x);
    case Activation::sigmoid:
      return sigmoid(x);
    case Activation::tanh:
      return tanh(x);
  }
  return x.tensor();
}

}  // namespace sinter::inline SINTER_ABI::models
