#pragma once
// Activations by the names that config.json has for them.

#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/sinter.hpp>

namespace sinter::inline SINTER_ABI::models {

enum class Activation : std::uint8_t { gelu, gelu_tanh, quick_gelu, relu, silu, sigmoid, tanh };

/// An activation as a layer.
struct Activate {
  Activation kind = Activation::gelu;
  SINTER_MODULE(Activate, kind)

  Activate() = default;
  /// By name: gelu, gelu_new, gelu_fast, gelu_pytorch_tanh, quick_gelu, relu, silu, swish, sigmoid
  /// or tanh. `option` and `model` are what errors name.
  ///
  /// Throws ValueError for any other name
  Activate(const std::string& name, std::string_view option, std::string_view model, Where where);

  Tensor forward(Operand x) const;
};

}  // namespace sinter::inline SINTER_ABI::models

#ifdef SINTER_DEFINITIONS
#include <sinter/models/activation.ipp>
#endif
