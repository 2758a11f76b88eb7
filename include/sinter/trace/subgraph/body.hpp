#pragma once
// Branches and bodies of loops: functions that are called once with variables in place of tensors,
// and what they computed, as a graph.

#include <cstdint>  // std::int64_t
#include <span>     // std::span
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/trace/core/recorder_host.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// What a traced function is: called once, the body of a loop, or a function of one sample of a
/// batch.
enum class BodyKind { call, loop, batch };

/// A function that was traced: what it was given, what it gave, and what it calls on the host.
struct Body {
  BodyId id = 0;
  std::vector<Tensor> variables{}, results{};
  std::vector<Effect> effects{};
  BodyKind kind = BodyKind::call;
};

/// Whether host functions may be called in a body: they are noted in it then.
enum class BodyEffects : bool { refused, noted };

/// While it lives, this thread traces `body`, or goes on with it: reads on the host throw.
class BodyScope {
 public:
  explicit BodyScope(Body& body, BodyEffects effects = BodyEffects::refused);
  ~BodyScope();
  BodyScope(const BodyScope&) = delete;
  BodyScope& operator=(const BodyScope&) = delete;

 private:
  Body& body_;
  BodyId outer_;
  std::vector<Effect>* outer_effects_;
};

/// The number of nested batches that this thread is tracing.
int batch_depth();

/// Where host functions of the body that is traced now are noted; null if they are refused.
std::vector<Effect>*& effects_of_body();

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

/// A random draw in a body outside of recordings: the seed and offset that the body is given, and
/// its number among the draws from there on.
struct BodyDraw {
  Tensor seed{}, offset{};
  std::int64_t number = 0;
};
BodyDraw next_body_draw(Where where);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/subgraph/body.ipp>
#endif
