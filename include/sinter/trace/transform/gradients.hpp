#pragma once
// Gradients of the parameters of a module, by name: sums, scaling and clipping.

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
#include <sinter/trace/transform/gradients.ipp>
#endif
