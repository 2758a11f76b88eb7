#pragma once
// The parameters of a module: its tensors, by dotted name.

#include <concepts>     // std::convertible_to
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <utility>      // std::pair
#include <vector>       // std::vector

#include <sinter/base/where.hpp>
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

struct BufferCollector : LeafVisitor {
  void buffer(const nn::Buffer& buffer, const LeafName& name);

  std::vector<std::pair<std::string, Tensor>> buffers{};
};

}  // namespace detail

namespace nn {

/// Calls visit("hidden.weight", tensor) for each parameter of `module`, depth first, in the order
/// of its list. That order is also the order of the parameters in a saved file.
template <class M, class Visit>
void for_each_parameter(M& module, Visit visit) {
  static_assert(sinter::detail::HasModule<M>,
                "sinter::nn::for_each_parameter(module, visit) requires a module: "
                "list the members of the struct with SINTER_MODULE");
  if constexpr (sinter::detail::HasModule<M>) {  // so that the sentence above is the only error
    sinter::detail::ParameterVisitor<Visit> visitor(visit);
    sinter::detail::walk(module, visitor, {});
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

/// The buffers, state without a gradient, with their names, in the order of the module.
template <class M>
std::vector<std::pair<std::string, Tensor>> named_buffers(const M& module) {
  sinter::detail::BufferCollector visitor;
  sinter::detail::walk(module, visitor, {});
  return std::move(visitor.buffers);
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

/// The dotted name of a parameter, and the line that asks for it.
struct ParameterName {
  template <class Name>
  requires std::convertible_to<const Name&, std::string_view> ParameterName(
      const Name& n, Where at = Where::current())
      : value(n), where(at) {}

  std::string_view value;
  Where where;
};

/// Gradients of the parameters of a module, by name, in the order of the module.
class Gradients {
 public:
  Gradients() = default;
  explicit Gradients(std::vector<std::pair<std::string, Tensor>> list) : list_(std::move(list)) {}

  /// Throws ValueError if there is no gradient of this name.
  Tensor& operator[](ParameterName name) { return const_cast<Tensor&>(std::as_const(*this)[name]); }
  const Tensor& operator[](ParameterName name) const;
  bool contains(std::string_view name) const;
  std::size_t size() const { return list_.size(); }
  bool empty() const { return list_.empty(); }
  auto begin() { return list_.begin(); }
  auto end() { return list_.end(); }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }

  /// Adds gradients of the same names, as of the next part of a batch. Gradients() becomes `other`.
  ///
  /// Throws ValueError if the names differ; ShapeError if shapes do.
  Gradients& operator+=(detail::Located<Gradients> other);
  /// Each times a number, or a tensor of rank 0.
  Gradients& operator*=(Operand factor);
  Gradients& operator/=(Operand divisor);

 private:
  std::vector<std::pair<std::string, Tensor>> list_;
};

inline Gradients operator+(Gradients lhs, const detail::Located<Gradients>& rhs) {
  return std::move(lhs += rhs);
}
inline Gradients operator*(Gradients lhs, const Operand& factor) {
  return std::move(lhs *= factor);
}
inline Gradients operator/(Gradients lhs, const Operand& divisor) {
  return std::move(lhs /= divisor);
}

/// Zeros of the names, shapes and dtypes of `gradients`: where a sum of gradients starts.
Gradients zeros_like(const Gradients& gradients, Where where = Where::current());

/// Zeros for the floating parameters of `module`: where a sum of its gradients starts.
template <class M>
requires detail::HasModule<M> Gradients zero_gradients(const M& module,
                                                       Where where = Where::current()) {
  std::vector<std::pair<std::string, Tensor>> list = nn::named_parameters(module);
  std::erase_if(list, [](const auto& pair) { return !detail::is_floating(pair.second.dtype()); });
  return zeros_like(Gradients(std::move(list)), where);
}

/// Scales `gradients` down so that their norm, over all elements together, is at most `max_norm`.
/// Gives the norm before, the root of the sum of squares unless `norm_type` says otherwise: the
/// largest absolute element if it is infinite, else sum(|g|^norm_type)^(1 / norm_type).
///
/// DTypes   the norm is f64 if a gradient is, else f32; gradients keep theirs
/// Throws   ValueError unless norm_type > 0
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html
Tensor clip_grad_norm(Gradients& gradients, Operand max_norm, double norm_type = 2);

/// Moves each element of `gradients` into [-clip_value, clip_value].
void clip_grad_value(Gradients& gradients, Operand clip_value);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/parameter.ipp>
#endif
