#pragma once
// Gradients of module parameters by name: accumulation, scaling and clipping.

#include <concepts>     // std::convertible_to
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <utility>      // std::pair
#include <vector>       // std::vector

#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/module/parameter.hpp>

namespace sinter::inline SINTER_ABI {

/// The dotted name of a parameter, with the source line that uses it.
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
  explicit Gradients(std::vector<std::pair<std::string, Tensor>> list);

  /// Throws ValueError if there is no gradient with this name.
  Tensor& operator[](ParameterName name) { return const_cast<Tensor&>(std::as_const(*this)[name]); }
  const Tensor& operator[](ParameterName name) const;
  bool contains(std::string_view name) const;
  std::size_t size() const;
  bool empty() const { return size() == 0; }
  std::pair<std::string, Tensor>* begin();
  std::pair<std::string, Tensor>* end() { return begin() + size(); }
  const std::pair<std::string, Tensor>* begin() const;
  const std::pair<std::string, Tensor>* end() const { return begin() + size(); }

  /// Adds gradients with the same names, such as those of the next micro-batch. Gradients() becomes
  /// `other`.
  ///
  /// Throws ValueError if the names differ; ShapeError if shapes do.
  Gradients& operator+=(detail::Located<Gradients> other);
  /// Multiplies each by a number or a tensor of rank 0.
  Gradients& operator*=(Operand factor);
  Gradients& operator/=(Operand divisor);

  /// The group of ranks of which each has a part of gradient `i`; -1 if each has the whole.
  int divided_among(std::size_t i) const { return i < groups_.size() ? groups_[i] : -1; }
  void set_divided_among(std::size_t i, int group) {
    groups_.resize(list_.size(), -1);
    groups_[i] = group;
  }

 private:
  std::vector<std::pair<std::string, Tensor>> list_;
  std::vector<int> groups_{};  // empty: all are whole
};

Gradients operator+(Gradients lhs, const detail::Located<Gradients>& rhs);
Gradients operator*(Gradients lhs, const Operand& factor);
Gradients operator/(Gradients lhs, const Operand& divisor);

/// Zeros with the names, shapes and dtypes of `gradients`, to start a sum of gradients.
Gradients zeros_like(const Gradients& gradients, Where where = Where::current());

/// Zeros for the floating parameters of `module`, to start a sum of its gradients.
template <class M>
requires detail::HasModule<M> Gradients zero_gradients(const M& module,
                                                       Where where = Where::current()) {
  std::vector<std::pair<std::string, Tensor>> list = nn::named_parameters(module);
  erase_if(list, [](const auto& pair) { return !detail::is_floating(pair.second.dtype()); });
  return zeros_like(Gradients(std::move(list)), where);
}

/// Scales `gradients` down so that their norm over all elements is at most `max_norm`. Returns the
/// norm before scaling: sum(|g|^norm_type)^(1 / norm_type), by default the 2-norm; the largest
/// absolute element if `norm_type` is infinite.
///
/// DTypes   the norm is f64 if a gradient is, else f32; gradients keep their dtypes
/// Throws   ValueError unless norm_type > 0
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html
Tensor clip_grad_norm(Gradients& gradients, Operand max_norm, double norm_type = 2);

/// Clamps each element of `gradients` to [-clip_value, clip_value].
void clip_grad_value(Gradients& gradients, Operand clip_value);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/transform/gradients.ipp>
#endif
