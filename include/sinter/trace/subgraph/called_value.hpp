#pragma once
// Gradients of values that depend on calls of compiled functions. A recurring value, such as the
// loss of a training loop, reuses its compiled plan.

#include <vector>  // std::vector

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/subgraph/value_key.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// A value and the variables of its gradients; both must outlive this object. The
/// evaluation mutex is held while it is used, so that no other thread computes what it refers to.
class CalledValue {
 public:
  CalledValue(const Tensor& value, const std::vector<Tensor>& variables);

  /// The key of the value. The variables are the first values of the key.
  const ValueKey& key() const { return key_; }
  std::size_t variable_count() const { return variables_.size(); }
  /// The elements of the values that are computed already, in the order of the key.
  const Vector<const Storage*>& known() const { return known_; }
  /// True if all inputs are computed, and all elements are on the host.
  bool is_complete() const { return is_complete_; }
  /// A graph of the value in which the `lifted` numbers of the key are inputs. Its outputs: the
  /// value, the variables, the values with known() elements, and the lifted numbers.
  Graph graph(const Vector<bool>& lifted) const;

 private:
  void note_elements(const Lazy& lazy);

  const Tensor& value_;
  const std::vector<Tensor>& variables_;
  ValueKey key_;
  Vector<const Storage*> known_{};
  bool is_complete_ = true;
};

/// Computes `value` and its gradients in one program, and returns the gradients. Returns nothing if
/// no compiled function was called, inside of other gradients or recordings, and the first time
/// that the value occurs: then the gradients are recorded and evaluated when they are read.
std::vector<Tensor> gradients_of_calls(const Tensor& value, const std::vector<Tensor>& variables);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/subgraph/called_value.ipp>
#endif
