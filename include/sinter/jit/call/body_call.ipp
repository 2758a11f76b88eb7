#pragma once

#include <utility>  // std::exchange

#include <sinter/graph/callee.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/jit/call/body_call.hpp>
#include <sinter/jit/record/session.hpp>
#include <sinter/jit/run/attempt.hpp>
#include <sinter/jit/state/state.hpp>
#include <sinter/trace/subgraph/body.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// While it lives, this thread traces no body, and records for no gradient.
class OutsideOfBodies {
 public:
  OutsideOfBodies()
      : body_(std::exchange(current_body, 0)), wanted_(std::exchange(wanted_scope, 0)) {}
  OutsideOfBodies(const OutsideOfBodies&) = delete;
  OutsideOfBodies& operator=(const OutsideOfBodies&) = delete;
  ~OutsideOfBodies() { current_body = body_, wanted_scope = wanted_; }

 private:
  BodyId body_;
  std::uint64_t wanted_;
};

// A function whose results are all that it does.
SINTER_INLINE bool is_pure_recording(const RecordingSession& session) {
  const Recorder& recorder = session.recorder();
  return !recorder.is_random() && recorder.outside().empty() && recorder.effects().empty() &&
         recorder.created().empty();
}

// A call whose operands have no elements yet, as a graph of their types.
struct BodyCall {
  Recorded recorded{};
  Recording recording{};
  bool is_pure = false;
};

SINTER_INLINE BodyCall record_in_body(const State& state, const AnyCall& call,
                                      const CallSignature& signature) {
  const OutsideOfBodies scope;
  BodyCall result;
  RecordingSession session(signature.leaves, call, state.options(), {}, state.where());
  result.recorded =
      run_recorded(session, call, [&](const guard::Leaves& leaves) { session.begin(leaves); });
  result.is_pure = is_pure_recording(session);
  if (!result.is_pure) return result;
  const std::vector<std::string> names = result.recorded.copies->names().leaves;
  result.recording = session.finish(result.recorded.after.leaves, names, result.recorded.results,
                                    signature.structure, result.recorded.after.structure);
  const Recording& recording = result.recording;
  result.is_pure = recording.changed.empty() && !recording.changes_structure;
  const Recorder& recorder = session.recorder();
  const auto number = [&recorder](Extent extent) { return Extent(recorder.hint(extent)); };
  result.recording.graph = map_extents(std::move(result.recording.graph), number);
  return result;
}

}  // namespace detail

SINTER_INLINE void serve_in_body(State& state, AnyCall& call) {
  const CallSignature signature = call.signature();
  if (!call.kind().is_closed || signature.leaves.is_open) {
    return call.run_as_written(state.where());
  }
  detail::BodyCall made = detail::record_in_body(state, call, signature);
  if (!made.is_pure) return call.run_as_written(state.where());
  std::vector<Tensor> operands;
  for (const guard::Leaf& leaf : signature.leaves.list) operands.push_back(*leaf.tensor);
  Graph& graph = made.recording.graph;
  for (std::size_t i = 0; i < made.recording.captured.size(); ++i) {
    const TensorType& type = graph.type(graph.inputs[operands.size()]);
    operands.emplace_back(make_evaluated(type, made.recording.captured[i]));
  }
  Node node = call_of(state.callee_in_body(std::move(graph), made.recording.device), {});
  const std::vector<Tensor> results =
      sinter::detail::record_all(std::move(node), operands, state.where());
  detail::fill(made.recorded.results, results);
  call.take_result(made.recorded.result.get());
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
