#pragma once
// The parameters of a module: its tensors, by dotted name.

#include <string>   // std::string
#include <utility>  // std::pair
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/walk.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

template <class Visit>
struct ParameterVisitor : LeafVisitor {
  explicit ParameterVisitor(Visit& v) : visit(v) {}
  template <class T>
  requires std::same_as<std::remove_const_t<T>, Tensor>
  void tensor(T& parameter, const LeafName& name) { visit(to_string(name), parameter); }
  void typed(auto& parameter, const LeafName& name) { visit(to_string(name), parameter.tensor()); }

  Visit& visit;
};

}  // namespace detail

namespace nn {

/// Calls visit("hidden.weight", tensor) for each parameter of `module`, depth first, in the order
/// of its list. That order is also the order of the parameters in a saved file.
template <class M, class Visit>
void for_each_parameter(M& module, Visit visit) {
  static_assert(Module<std::remove_const_t<M>>,
                "sinter::nn::for_each_parameter(module, visit) requires a module: "
                "list the members of the struct with SINTER_MODULE");
  if constexpr (Module<std::remove_const_t<M>>) {  // so that the sentence above is the only error
    sinter::detail::ParameterVisitor<Visit> visitor(visit);
    walk(module, visitor, {});
  }
}

/// The parameters with their names, in the order of the module.
template <class M>
std::vector<std::pair<std::string, Tensor>> named_parameters(const M& module) {
  std::vector<std::pair<std::string, Tensor>> result;
  for_each_parameter(module, [&](std::string name, const Tensor& parameter) {
    if (parameter.defined()) result.emplace_back(std::move(name), parameter);
  });
  return result;
}

/// How many elements the parameters have together.
template <class M>
std::int64_t parameter_count(const M& module) {
  std::int64_t count = 0;
  for (const auto& [name, parameter] : named_parameters(module)) {
    count += parameter.numel().number();
  }
  return count;
}

}  // namespace nn

/// Gradients of the parameters of a module, by name, in the order of the module.
class Gradients {
 public:
  Gradients() = default;
  explicit Gradients(std::vector<std::pair<std::string, Tensor>> list) : list_(std::move(list)) {}

  /// Throws ValueError if there is no gradient of this name.
  Tensor& operator[](std::string_view name);
  const Tensor& operator[](std::string_view name) const;
  bool contains(std::string_view name) const;
  std::size_t size() const { return list_.size(); }
  auto begin() { return list_.begin(); }
  auto end() { return list_.end(); }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }

 private:
  std::vector<std::pair<std::string, Tensor>> list_;
};

/// Scales `gradients` down so that their norm, over all elements together, is at most `max_norm`.
/// Gives the norm before.
Tensor clip_grad_norm(Gradients& gradients, Operand max_norm);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/parameter.ipp>
#endif
