#pragma once
// Traces branches and loop bodies: functions called once with variables in place of tensors, whose
// computation becomes a graph.

#include <cstdint>  // std::int64_t, std::uint8_t
#include <vector>   // std::vector

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/trace/core/recorder_host.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The kind of a traced function: called once, the body of a loop, or a function of one sample of a
/// batch.
enum class BodyKind { call, loop, batch };

/// What becomes of host functions that are called in a body: refused, noted in it and called
/// outside of it with its values, or called where it computes their operands.
enum class BodyEffects : std::uint8_t { refused, noted, in_place };

/// A traced function: its variables, its results, and its host calls.
struct Body {
  BodyId id = 0;
  std::vector<Tensor> variables{}, results{};
  Vector<Effect> effects{};
  BodyKind kind = BodyKind::call;
  BodyEffects handling = BodyEffects::refused;
  /// Values with side effects, which are computed although no result needs them, in this order.
  std::vector<Tensor> roots{};
  bool has_captures = false;  ///< A host function among them has captures.
};

/// During its lifetime, this thread traces `body`; reads on the host throw.
class BodyScope {
 public:
  explicit BodyScope(Body& body, BodyEffects effects = BodyEffects::refused);
  ~BodyScope();
  BodyScope(const BodyScope&) = delete;
  BodyScope& operator=(const BodyScope&) = delete;

 private:
  Body& body_;
  BodyId outer_;
  Body* outer_body_;
};

/// The number of nested batches that this thread is tracing.
int batch_depth();

/// The body that this thread is tracing, in whose `handling` host functions are called; null
/// outside of bodies.
Body*& traced_body();

/// Adds a variable of `type` to `body`.
const Tensor& add_variable(Body& body, const TensorType& type, Where where);

/// The graph of `body`. Its inputs are the variables, then `captured`: tensors that it uses and
/// that were made before it; missing ones are appended to the list. If `step`, an i64 variable, is
/// given, each step of a loop makes different draws.
Graph graph_of(const Body& body, std::vector<Tensor>& captured, const Tensor* step = nullptr);

/// Adds unused inputs to `graph` for the captured tensors from number `first` on.
void add_unused_inputs(Graph& graph, Span<const Tensor> captured, std::size_t first);

/// Reshapes the first outputs of `graph` to the shapes of `types`, which the recording assumes to
/// be equal.
void fit_outputs(Graph& graph, Span<const TensorType> types);

/// Records `node` with `operands` and returns its results.
std::vector<Tensor> record_all(Node node, Span<const Tensor> operands, Where where);

/// Result `result` of `lazy`. Handles hold single-result values: each result of a multi-result node
/// is wrapped in a no-op reshape.
Tensor result_of(const LazyRef& lazy, std::uint32_t result, Where where);

/// A random draw in a body outside of recordings: the seed and offset inputs of the body, and the
/// number of the draw.
struct BodyDraw {
  Tensor seed{}, offset{};
  std::int64_t number = 0;
};
BodyDraw next_body_draw(Where where);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/subgraph/body.ipp>
#endif
