#pragma once
// Differentiation of a traced function: its variables, its graph, and the derivatives of that.

#include <vector>  // std::vector

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The graph that a function computed from its variables, in which derivatives are taken. It may
/// outlive the Differentiation that the variables belong to.
class Derivative {
 public:
  Derivative(const std::vector<Tensor>& variables, const std::vector<Tensor>& outputs);

  /// The gradient of sum(outputs * seeds) with respect to each variable. `seeds` have the types of
  /// the floating outputs; they may be left out for a single output, whose seed is then 1.
  std::vector<Tensor> pull_back(const std::vector<Tensor>& seeds, Where where) const;
  /// The derivative of each floating output along `tangents`, one for each variable and of its
  /// type.
  std::vector<Tensor> push_forward(const std::vector<Tensor>& tangents, Where where) const;

 private:
  std::vector<Tensor> placed(std::vector<Tensor> values, const Vector<Value>& like) const;
  Graph drawn_before(Graph graph) const;

  Graph graph_;
  Vector<Value> variables_, outputs_;
  std::vector<Tensor> known_;  // the values of the nodes, by id
  int batches_ = 0;            // the number of nested batches in which the function ran
};

/// Substitutes variables for values while a function runs; the reverse sweep then computes the
/// gradient with respect to them. Equal values inside and outside of the function stay separate.
class Differentiation {
 public:
  Differentiation();
  ~Differentiation();
  Differentiation(const Differentiation&) = delete;
  Differentiation& operator=(const Differentiation&) = delete;

  /// The variable that the function receives in place of `value`.
  ///
  /// Throws GradientError if `value` is not floating.
  Tensor variable(const Tensor& value, Where where);
  /// The gradient of `output` with respect to each variable.
  ///
  /// Throws GradientError unless `output` is one floating element.
  std::vector<Tensor> gradients(const Tensor& output, Where where);
  /// The values computed from the variables so far.
  Derivative derivative(const std::vector<Tensor>& outputs) const;

 private:
  std::vector<Tensor> values_, variables_;
  std::size_t variable_count_ = 0;  // number of variables registered with the recorder
  Vector<LazyRef> evaluated_;  // in the outermost differentiation: values that keep their operands
};

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/transform/derivative.ipp>
#endif
