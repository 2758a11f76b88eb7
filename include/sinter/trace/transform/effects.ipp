#pragma once

#include <utility>  // std::move

#include <sinter/base/container/vector.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/trace/core/evaluate.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/index/index.hpp>
#include <sinter/trace/subgraph/splice.hpp>
#include <sinter/trace/transform/effects.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE void throw_unexpected_break(std::string_view op, Where where) {
  throw GraphBreakError({.op = op,
                         .what = "the graph cannot break here",
                         .rule = "branches, loops and batches are recorded as a whole",
                         .fix = "move the call out of the function that is recorded",
                         .where = where,
                         .see = "graph-breaks"});
}

[[noreturn]] SINTER_INLINE void throw_host_in_branch(std::string_view op, Where where) {
  throw GraphBreakError({.op = op,
                         .what = "the host is called in a branch or a while_loop",
                         .rule = "how often those run is known only when the graph has run",
                         .fix = "return the value and call the host after it; scan, map, vmap, "
                                "checkpoint and custom_gradient may call the host",
                         .where = where,
                         .see = "graph-breaks"});
}

SINTER_INLINE void add_effect(SharedPtr<const HostFunction> function, std::vector<Tensor> operands,
                              bool has_captures, std::string_view op, Where where) {
  Recorder* const recorder = current_recorder();
  if (Vector<Effect>* const noted = effects_of_body()) {
    return noted->push_back({std::move(function), std::move(operands), has_captures});
  }
  if (current_body != 0) throw_host_in_branch(op, where);
  if (recorder == nullptr) return (*function)(operands);
  if (recorder->host() == nullptr) throw_unexpected_break(op, where);
  recorder->add_effect({std::move(function), std::move(operands), has_captures});
}

class Evaluates : public HostFunction {
 public:
  void operator()(Span<const Tensor> operands) const override {
    for (const Tensor& operand : operands) elements_of(operand);
  }
};

SINTER_INLINE SharedPtr<const HostFunction> evaluates_operands() {
  return make_shared_ptr<const Evaluates>();
}

// Calls the host functions of a body for all of its runs, with stacked operands.
class HostFunctionsOfEach : public HostFunction {
 public:
  explicit HostFunctionsOfEach(const Vector<Effect>& effects) {
    for (const Effect& effect : effects) {
      calls_.push_back({effect.function, effect.operands.size()});
    }
  }

  void operator()(Span<const Tensor> operands) const override {
    const std::int64_t runs = operands[0].size(0).number();
    for (std::int64_t run = 0; run < runs; ++run) {
      std::size_t next = 0;
      for (const Call& call : calls_) {
        std::vector<Tensor> own;
        for (std::size_t i = 0; i < call.operands; ++i) own.push_back(operands[next++][run]);
        (*call.function)(own);
      }
    }
  }

 private:
  struct Call {
    SharedPtr<const HostFunction> function;
    std::size_t operands;
  };
  Vector<Call> calls_{};
};

SINTER_INLINE std::vector<Tensor> host_operands(const Body& body) {
  std::vector<Tensor> result;
  for (const Effect& effect : body.effects) {
    result.insert(result.end(), effect.operands.begin(), effect.operands.end());
  }
  return result;
}

// The values are recorded a second time outside of the body; equal ones are merged.
SINTER_INLINE void call_host_functions(const Body& body, Span<const Tensor> operands, Where where) {
  if (body.effects.empty()) return;
  Body read = body;
  read.results = host_operands(body);
  std::vector<Tensor> captured, known(operands.begin(), operands.end());
  const Graph inside = graph_of(read, captured);
  for (const Tensor& tensor : captured) known.push_back(imported(tensor, where));
  Graph graph;
  Builder builder(graph);
  Vector<Value> given;
  for (const NodeId input : inside.inputs) given.push_back(builder.input(inside.type(input)));
  const Vector<Value> wanted = builder.inlined(inside, given);
  const std::vector<Tensor> values = splice(graph, std::move(known), wanted, where);
  auto next = values.begin();
  for (const Effect& effect : body.effects) {
    const auto end = next + static_cast<std::ptrdiff_t>(effect.operands.size());
    add_effect(effect.function, {next, end}, effect.has_captures, "host", where);
    next = end;
  }
}

SINTER_INLINE void call_host_functions_of_each(const Body& body, Span<const Tensor> results,
                                               Extent count, Where where) {
  if (body.effects.empty()) return;
  const auto operands = results.subspan(results.size() - host_operands(body).size());
  std::vector<Tensor> stacked(operands.begin(), operands.end());
  if (stacked.empty()) stacked.push_back(arange(count, where));  // its length is the number of runs
  bool has_captures = false;
  for (const Effect& effect : body.effects) has_captures |= effect.has_captures;
  add_effect(make_shared_ptr<const HostFunctionsOfEach>(body.effects), std::move(stacked),
             has_captures, "host", where);
}

}  // namespace sinter::inline SINTER_ABI::detail
