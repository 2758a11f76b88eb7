#pragma once
// Sequential and ModuleList.

#include <cstddef>      // std::size_t
#include <tuple>        // std::tuple
#include <type_traits>  // std::is_invocable_v
#include <utility>      // std::move
#include <vector>       // std::vector

#include <sinter/trace/module/module.hpp>
#include <sinter/trace/module/walk.hpp>

namespace sinter::inline SINTER_ABI::nn {

/// Chains layers: Sequential net{Linear{4, 8}, ReLU{}}.
template <class... M>
struct Sequential {
  std::tuple<M...> layers;

  // `layers` adds no prefix, so that parameters are named as in torch: "0.weight".
  struct hana_accessors_impl {
    static constexpr auto apply() {
      return boost::hana::make_tuple(SINTER_NAMED_MEMBER(Sequential, "", layers));
    }
    template <class Self, class Visit>
    static void visit_members(Self& self, Visit& visit) {
      visit("", self.layers);
    }
  };

  // const and non-const, so that stateful layers can update their state in a non-const list.
  Tensor operator()(Operand x) const {
    const sinter::detail::ModuleScope sinter_scope(this);
    SINTER_FORWARD(forward(x))
  }
  Tensor operator()(Operand x) {
    const sinter::detail::ModuleScope sinter_scope(this);
    SINTER_FORWARD(forward(x))
  }

  Sequential() = default;
  Sequential(M... modules) requires(sizeof...(M) > 0) : layers(std::move(modules)...) {}

  Tensor forward(Operand x) const { return run(layers, x); }
  Tensor forward(Operand x) { return run(layers, x); }

  /// Layer number `i`.
  template <std::size_t i>
  auto& get() {
    return std::get<i>(layers);
  }
  template <std::size_t i>
  const auto& get() const {
    return std::get<i>(layers);
  }

 private:
  static Tensor run(auto& modules, Operand x) {
    std::apply([&](auto&... layer) { ((x = {call(layer, x), x.where}), ...); }, modules);
    return x.tensor();
  }

  // Passes the source line of the caller, if the layer accepts it.
  static Tensor call(auto& layer, const Operand& x) {
    if constexpr (std::is_invocable_v<decltype(layer), Operand>) {
      return layer(x);
    } else {
      return layer(x.tensor());
    }
  }
};

/// A list of layers of one type, used as a member of modules.
template <class M>
using ModuleList = std::vector<M>;

}  // namespace sinter::inline SINTER_ABI::nn
