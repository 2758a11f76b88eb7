#pragma once

#include <atomic>   // std::atomic
#include <cstring>  // std::memcpy
#include <utility>  // std::move

#include <sinter/base/container/vector.hpp>
#include <sinter/device/host/storage.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/custom/custom_code.hpp>
#include <sinter/graph/rewrite.hpp>
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

[[noreturn]] SINTER_INLINE void throw_host_in_reference(std::string_view op, Where where) {
  throw GraphBreakError({.op = op,
                         .what = "the host is called in a reference or a backward function",
                         .rule = "those compute values only, where and when they are needed",
                         .fix = "call the host outside of it; on_gradient(x, f) shows a gradient",
                         .where = where,
                         .see = "graph-breaks"});
}

[[noreturn]] SINTER_INLINE void throw_host_in_batched_branch(std::string_view op, Where where) {
  throw GraphBreakError({.op = op,
                         .what = "the host is called in a branch or a while_loop of a batch",
                         .rule = "vmap computes branches and loops for all samples together",
                         .fix = "return the value and call the host after it, or use scan or map "
                                "in place of vmap",
                         .where = where,
                         .see = "graph-breaks"});
}

[[noreturn]] SINTER_INLINE void throw_host_left_out(std::string_view op, Where where) {
  throw GraphBreakError({.op = op,
                         .what = "the host is called in a branch or a while_loop",
                         .rule = "in a header-only program <sinter/core.hpp> leaves out what calls "
                                 "it there",
                         .fix = "include <sinter/sinter.hpp>, or return the value and call the "
                                "host after it",
                         .where = where,
                         .see = "graph-breaks"});
}

SINTER_INLINE Tensor copy_of(const RawTensor& x) {
  const std::size_t bytes = static_cast<std::size_t>(x.numel()) * info(x.dtype()).size;
  const Storage copy = Storage::allocate(bytes);
  if (bytes != 0) std::memcpy(copy.data(), x.data(), bytes);
  Shape shape;
  for (const std::int64_t extent : x.shape()) shape.push_back(extent);
  return Tensor(make_evaluated({x.dtype(), shape}, copy));
}

SINTER_INLINE Hash identity_of_call(const void* tag, const void* bytes, std::size_t size) {
  Hasher hasher;
  hasher.add(reinterpret_cast<std::uintptr_t>(tag));
  return hasher.add(std::string_view(static_cast<const char*>(bytes), size)).result();
}

SINTER_INLINE Hash new_identity() {
  static std::atomic<std::uint64_t> next{1};
  return Hasher().add("one function").add(next++).result();
}

// Calls a host function where a branch or loop computes its operands.
class CalledInPlace : public HostKernel {
 public:
  explicit CalledInPlace(SharedPtr<const HostFunction> function) : function_(std::move(function)) {}
  void operator()(std::span<const RawTensor> in, std::span<const RawTensor> out) const override {
    std::vector<Tensor> operands;
    for (const RawTensor& operand : in) operands.push_back(copy_of(operand));
    *out[0].data<bool>() = true;
    (*function_)(operands);
  }

 private:
  SharedPtr<const HostFunction> function_;
};

// A node that calls `function`, with a result that nobody reads.
SINTER_INLINE Tensor call_in_place(SharedPtr<const HostFunction> function,
                                   const std::vector<Tensor>& operands, std::string_view op,
                                   Where where) {
  const Hash known = function->identity();
  auto code = make_shared_ptr<const CustomCode>(
      CustomCode{.name = std::string(op),
                 .call = make_shared_ptr<const CalledInPlace>(std::move(function)),
                 .has_side_effects = true,
                 .where = where,
                 .identity = known == Hash{} ? new_identity() : known});
  Node node{.op = Op::custom, .results = {{boolean, {}}}};
  node.attributes = {{"code", std::move(code)},
                     {"operands", constant(static_cast<std::int64_t>(operands.size()))}};
  return record_all(std::move(node), operands, where)[0];
}

// Evaluates its operands: with it, a recording gives the results of a node with side effects.
class Evaluates : public HostFunction {
 public:
  void operator()(Span<const Tensor> operands) const override {
    for (const Tensor& operand : operands) elements_of(operand);
  }
};

SINTER_INLINE void keep_side_effects(const Tensor& result, bool has_captures, std::string_view op,
                                     Where where) {
  Body* const body = traced_body();
  const bool is_kept =
      body != nullptr && body->handling != BodyEffects::refused && body->kind != BodyKind::batch;
  if (!is_kept) {
    return add_effect(make_shared_ptr<const Evaluates>(), {result}, has_captures, op, where);
  }
  body->roots.push_back(result);
  body->has_captures = body->has_captures || has_captures;
}

SINTER_INLINE void keep_side_effects(const Tensor& result,
                                     std::initializer_list<const Body*> bodies, Where where) {
  bool has_effects = false, has_captures = false;
  for (const Body* const body : bodies) {
    has_effects = has_effects || !body->roots.empty();
    has_captures = has_captures || body->has_captures;
  }
  if (has_effects) keep_side_effects(result, has_captures, "host", where);
}

SINTER_INLINE void add_effect(SharedPtr<const HostFunction> function, std::vector<Tensor> operands,
                              bool has_captures, std::string_view op, Where where) {
  Recorder* const recorder = current_recorder();
  Body* const body = traced_body();
  if (body != nullptr && body->handling == BodyEffects::noted) {
    return body->effects.push_back({std::move(function), std::move(operands), has_captures});
  }
  if (body != nullptr && body->handling == BodyEffects::in_place) {
    if (batch_depth() != 0) throw_host_in_batched_branch(op, where);
    if (!has_custom_operations()) throw_host_left_out(op, where);
    const Tensor called = call_in_place(std::move(function), operands, op, where);
    return keep_side_effects(called, has_captures, op, where);
  }
  if (current_body != 0) throw_host_in_reference(op, where);
  if (recorder == nullptr) return (*function)(operands);
  if (recorder->host() == nullptr) throw_unexpected_break(op, where);
  recorder->add_effect({std::move(function), std::move(operands), has_captures});
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
  Hash identity() const override {
    Hasher hasher;
    for (const Call& call : calls_) {
      const Hash one = call.function->identity();
      if (one == Hash{}) return {};
      hasher.add(one).add(call.operands);
    }
    return hasher.result();
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
  const Graph inside = without_side_effects(graph_of(read, captured));
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
