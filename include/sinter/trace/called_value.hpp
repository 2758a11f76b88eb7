#pragma once
// Values that calls of compiled functions computed, and their gradients: what was known of them
// when they came up before is used again.

#include <vector>  // std::vector

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/trace/tensor.hpp>
#include <sinter/trace/value_key.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// A value that is differentiated with respect to variables. Both outlive it.
class CalledValue {
 public:
  CalledValue(const Tensor& value, const std::vector<Tensor>& variables);

  /// Of what its gradients are computed from; the variables are the first values of the key.
  const ValueKey& key() const { return key_; }
  std::size_t variable_count() const { return variables_.size(); }
  /// The elements of all that was computed so far, in the order of the key.
  const std::vector<const Storage*>& known() const { return known_; }
  /// True if all inputs have elements, and all elements are on the host.
  bool is_complete() const { return is_complete_; }
  /// The value, the variables, what is known, and those numbers of the key that are `lifted`, which
  /// are inputs then, are its outputs.
  Graph graph(const std::vector<bool>& lifted) const;

 private:
  void note_elements(const Lazy& lazy);

  const Tensor& value_;
  const std::vector<Tensor>& variables_;
  ValueKey key_;
  std::vector<const Storage*> known_{};
  bool is_complete_ = true;
};

/// The gradients of `value`, computed at once, and `value` with them, if this thread finds no other
/// gradient and a compiled function was called since it began to. Else nothing, as where it is
/// better to write the gradients down, and to evaluate them when they are read.
std::vector<Tensor> gradients_of_calls(const Tensor& value, const std::vector<Tensor>& variables);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/called_value.ipp>
#endif
