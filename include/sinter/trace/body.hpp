#pragma once
// Branches and bodies of loops: functions that are called once with variables in place of tensors,
// and what they computed, as a graph.

#include <span>    // std::span
#include <vector>  // std::vector

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/trace/tensor.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// A function that was traced: what it was given, and what it gave.
struct Body {
  BodyId id = 0;
  std::vector<Tensor> variables{}, results{};
};

/// While it lives, this thread traces `body`, or goes on with it: reads on the host throw.
class BodyScope {
 public:
  explicit BodyScope(Body& body);
  ~BodyScope();
  BodyScope(const BodyScope&) = delete;
  BodyScope& operator=(const BodyScope&) = delete;

 private:
  Body& body_;
  BodyId outer_;
};

/// A value that `body` is given, of `type`.
const Tensor& add_variable(Body& body, const TensorType& type, Where where);

/// What `body` computes. Its inputs are the variables, then `captured`: tensors that it uses and
/// that were made before it, to which those are added that are not listed yet. A draw is another
/// one in each step of a loop if `step`, one of the variables, is given: an i64 number.
Graph graph_of(const Body& body, std::vector<Tensor>& captured, const Tensor* step = nullptr);

/// Inputs for the captured tensors from number `first` on, which `graph` does not use.
void add_unused_inputs(Graph& graph, std::span<const Tensor> captured, std::size_t first);

/// Gives the first outputs of `graph` the shapes of `types`, which they have by what was assumed of
/// sizes: graphs do not know it.
void fit_outputs(Graph& graph, std::span<const TensorType> types);

/// The results of `node`, which reads `operands`, asked for at `where`.
std::vector<Tensor> record_all(Node node, std::span<const Tensor> operands, Where where);

/// Result `result` of `lazy`. Values that are held have one result each: of several, each is a
/// reshape to the shape that it has.
Tensor result_of(const LazyRef& lazy, std::uint32_t result, Where where);

/// The seed and offset of draws in bodies outside of recordings, and how many there were.
struct BodyRandom {
  Tensor seed{}, offset{};
  std::int64_t draws = 0;
};
BodyRandom& body_random(Where where);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/body.ipp>
#endif
