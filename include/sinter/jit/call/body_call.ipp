#pragma once

#include <utility>  // std::exchange

#include <sinter/base/log.hpp>
#include <sinter/graph/callee.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/jit/call/body_call.hpp>
#include <sinter/jit/record/tracer.hpp>
#include <sinter/jit/run/cache_miss.hpp>
#include <sinter/jit/state/state.hpp>
#include <sinter/trace/subgraph/body.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// During its lifetime this thread traces no body and records for no gradient.
class OutsideOfBodies {
 public:
  OutsideOfBodies()
      : body_(std::exchange(current_body, 0)), wanted_(std::exchange(requires_grad_scope, 0)) {}
  OutsideOfBodies(const OutsideOfBodies&) = delete;
  OutsideOfBodies& operator=(const OutsideOfBodies&) = delete;
  ~OutsideOfBodies() { current_body = body_, requires_grad_scope = wanted_; }

 private:
  BodyId body_;
  std::uint64_t wanted_;
};

// True if the function has no effect but its results.
SINTER_INLINE bool is_pure_recording(const Tracer& tracer) {
  const Recorder& recorder = tracer.recorder();
  return !recorder.is_random() && recorder.outside().empty() && recorder.effects().empty() &&
         recorder.created().empty();
}

// The graph of a call, traced on the types of its operands, which have no elements yet.
struct BodyTrace {
  TracedCall traced{};
  Recording recording{};
  bool is_pure = false;
};

SINTER_INLINE BodyTrace trace_in_body(const State& state, const AnyCall& call,
                                      const CallSignature& signature) {
  const OutsideOfBodies scope;
  BodyTrace result;
  Tracer tracer(signature.leaves, call, state.options(), {}, state.where());
  result.traced =
      trace_call(tracer, call, [&](const guard::Leaves& leaves) { tracer.begin(leaves); });
  result.is_pure = is_pure_recording(tracer);
  if (!result.is_pure) return result;
  const std::vector<std::string> names = result.traced.copies->names().leaves;
  result.recording = tracer.make_recording(result.traced.after.leaves, names, result.traced.results,
                                           signature.structure, result.traced.after.structure);
  const Recording& recording = result.recording;
  result.is_pure = recording.changed.empty() && !recording.changes_structure;
  const Recorder& recorder = tracer.recorder();
  const auto number = [&recorder](Extent extent) { return Extent(recorder.hint(extent)); };
  result.recording.graph = map_extents(std::move(result.recording.graph), number);
  return result;
}

}  // namespace detail

SINTER_INLINE void serve_in_body(State& state, AnyCall& call) {
  const LogScope logs(state.options().name);
  const CallSignature signature = call.signature();
  if (!call.kind().may_replay || signature.leaves.has_unguarded_members) {
    return call.run_as_written(state.where());
  }
  detail::BodyTrace body = detail::trace_in_body(state, call, signature);
  if (!body.is_pure) return call.run_as_written(state.where());
  std::vector<Tensor> operands;
  for (const guard::Leaf& leaf : signature.leaves.list) operands.push_back(*leaf.tensor);
  Graph& graph = body.recording.graph;
  for (std::size_t i = 0; i < body.recording.captured.size(); ++i) {
    const TensorType& type = graph.type(graph.inputs[operands.size()]);
    operands.emplace_back(make_evaluated(type, body.recording.captured[i]));
  }
  Node node = call_of(state.callee_in_body(std::move(graph), body.recording.device), {});
  const std::vector<Tensor> results =
      sinter::detail::record_all(std::move(node), operands, state.where());
  detail::fill(body.traced.results, results);
  call.take_result(body.traced.result.get());
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
