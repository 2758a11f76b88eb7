#pragma once
// Functions while they are differentiated, and what they computed, as graphs.

#include <vector>  // std::vector

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// What a function computed from variables, as a graph in which derivatives are found. It may live
/// longer than the variables stand for themselves.
class Derivative {
 public:
  Derivative(const std::vector<Tensor>& variables, const std::vector<Tensor>& outputs);

  /// The gradient of the sum of outputs * seeds with respect to each variable. `seeds` are of the
  /// types of the floating outputs; none are needed for one output, whose seed is then 1.
  std::vector<Tensor> pull_back(const std::vector<Tensor>& seeds, Where where) const;
  /// The derivative of each floating output along `tangents`, one for each variable, of its type.
  std::vector<Tensor> push_forward(const std::vector<Tensor>& tangents, Where where) const;

 private:
  std::vector<Tensor> placed(std::vector<Tensor> values, const std::vector<Value>& like) const;
  Graph drawn_before(Graph graph) const;

  Graph graph_;
  std::vector<Value> variables_, outputs_;
  std::vector<Tensor> known_;  // the values of the nodes, by id
  int batches_ = 0;            // in how many batches the function ran
};

/// Variables in place of values for the time in which a function runs; its gradient with respect
/// to them is then found by the reverse sweep. Equal values in- and outside never mix.
class Differentiation {
 public:
  Differentiation();
  ~Differentiation();
  Differentiation(const Differentiation&) = delete;
  Differentiation& operator=(const Differentiation&) = delete;

  /// What the function is given in place of `value`.
  ///
  /// Throws GradientError if `value` is not floating.
  Tensor variable(const Tensor& value, Where where);
  /// The gradient of `output` with respect to each variable.
  ///
  /// Throws GradientError unless `output` is one floating element.
  std::vector<Tensor> gradients(const Tensor& output, Where where);
  /// What was computed from the variables so far.
  Derivative derivative(const std::vector<Tensor>& outputs) const;

 private:
  std::vector<Tensor> values_, variables_;
  std::size_t begun_ = 0;           // variables that the recorder knows
  std::vector<LazyRef> evaluated_;  // in the outermost: values that keep their operands
};

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/transform/derivative.ipp>
#endif
