#pragma once
// How the batching rules of control flow write bodies and nodes for all samples of a batch.

#include <sinter/autodiff/batching/batching.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff::batch_of {

/// Which values are batched.
using Flags = Vector<bool>;

bool any_of(const Flags& flags);

/// A body of a node for all samples, while it is written: its inputs, then, where it matters,
/// whether each sample is active.
class BatchedBody {
 public:
  explicit BatchedBody(const Batching& outer) : outer_(outer), builder_(graph_) {}
  BatchedBody(const BatchedBody&) = delete;
  BatchedBody& operator=(const BatchedBody&) = delete;

  /// The next input, for what is of type `sample` in one sample.
  Batched add_input(const TensorType& sample, bool is_batched);
  /// Inputs like those of `body`, and one for `active`.
  void add_inputs(const Graph& body, const Flags& flags);
  /// The outputs of `body` for these inputs.
  Vector<Batched> batched(const Graph& body) { return batched(body, inputs, active); }
  Vector<Batched> batched(const Graph& body, Span<const Batched> operands, Optional<Value> mask);
  /// The outer node as seen from within.
  Batching inside();
  Graph finish(Vector<Value> outputs);

  Vector<Batched> inputs{};
  Optional<Value> active{};

 private:
  const Batching& outer_;
  Graph graph_{};
  Builder builder_;
};

/// Which outputs of `body` are batched if its inputs are, by `flags`.
Flags flags_of(const Batching& at, const Graph& body, const Flags& flags);
/// `body` for all samples, with inputs batched by `flags` and outputs by `outputs`.
Graph body_of(const Batching& at, const Graph& body, const Flags& flags, const Flags& outputs);
/// Gives `node` the inputs from number `first` on, batched by `flags`, and then what is active.
void add_operands(const Batching& at, const Flags& flags, Node& node, std::size_t first = 0);
/// The results of `node`, batched by `flags`.
Vector<Batched> results_of(const Batching& at, Node node, const Flags& flags);
/// Both conditions; `b` if there is no other.
Value both(Builder& builder, Optional<Value> a, Value b);

}  // namespace sinter::inline SINTER_ABI::detail::autodiff::batch_of

#ifdef SINTER_DEFINITIONS
#include <sinter/autodiff/batching/body.ipp>
#endif
