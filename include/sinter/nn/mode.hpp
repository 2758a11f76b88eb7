#pragma once
// Training and evaluation mode of modules.

#include <concepts>  // std::same_as

#include <sinter/trace/module/module.hpp>
#include <sinter/trace/module/walk.hpp>

namespace sinter::inline SINTER_ABI::nn {

namespace detail {

struct ModeVisitor : sinter::detail::LeafVisitor {
  explicit ModeVisitor(bool mode) : training(mode) {}
  template <class M>
  void module(M& module, const sinter::detail::LeafName&) const {
    if constexpr (requires {
                    { (module.training) } -> std::same_as<bool&>;
                  }) {
      module.training = training;
    }
  }

  bool training;
};

}  // namespace detail

/// Sets the member `bool training` of `module` and of all modules in it that have one.
template <class M>
void train(M& module, bool mode = true) {
  static_assert(sinter::detail::HasModule<M>,
                "sinter::nn::train(module) requires a module: list the members of the struct with "
                "SINTER_MODULE");
  if constexpr (sinter::detail::HasModule<M>) {  // keeps the static_assert above the only error
    detail::ModeVisitor visitor(mode);
    sinter::detail::walk(module, visitor, {});
  }
}

/// train(module, false): disables dropout.
template <class M>
void eval(M& module) {
  train(module, false);
}

}  // namespace sinter::inline SINTER_ABI::nn
