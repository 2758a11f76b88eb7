#pragma once

#include <utility>        // std::move

#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/per_thread.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/graph/infer.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/trace/context/random_state.hpp>
#include <sinter/trace/core/extract.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/subgraph/body.hpp>

namespace sinter::inline SINTER_ABI::detail {

// Where the draws of the outermost body of this thread began.
struct BodyRandom {
  Tensor seed{}, offset{};
  random::State first{};
};

// The number of nested bodies of this kind on this thread.
SINTER_INLINE int& body_depth(BodyKind kind) {
  static thread_local int depths[3] = {};
  return depths[static_cast<int>(kind)];
}

SINTER_INLINE int batch_depth() { return body_depth(BodyKind::batch); }

// Copies what a body computed into a graph.
class BodyExtractor {
 public:
  BodyExtractor(Graph& graph, const Body& body, std::vector<Tensor>& captured, const Tensor* step)
      : builder_(graph), body_(body), captured_(captured) {
    for (const Tensor& variable : body.variables) add_input(variable);
    if (step != nullptr) step_ = values_.at(step->lazy().get());
    for (const Tensor& tensor : captured) add_captured(tensor);
  }

  Value add(const Tensor& tensor) {
    Lazy* const lazy = inner(tensor.lazy().get());
    visit(lazy);
    const Value first = values_.at(lazy);
    return {first.node, first.result + tensor.result()};
  }

 private:
  // The value itself or the value it stands for; detached values stay.
  static Lazy* inner(Lazy* lazy) {
    while (lazy->stands_for && !lazy->is_detached) lazy = lazy->stands_for.get();
    return lazy;
  }

  TensorType type_of(const Lazy& lazy) const {
    TensorType type = lazy.node.results[0];
    if (recorder_ != nullptr) type.shape = recorder_->resolve(type.shape);
    return type;
  }

  void add_input(const Tensor& tensor) {
    Lazy* const lazy = inner(tensor.lazy().get());
    values_.emplace(lazy, builder_.input(type_of(*lazy)));
  }

  void add_captured(const Tensor& tensor) {
    add_input(tensor);
    Lazy* const lazy = inner(tensor.lazy().get());
    if (step_ && lazy->is_draw_offset) values_[lazy] = offset_in_step(values_.at(lazy));
  }

  // Adds (step + 1) * golden ratio^depth, modulo 2^64: far from the offsets of other steps, loops
  // and calls. A sum, so that draw n after an offset is the first after the offset + n, as outside
  // of loops. Only loops count, so that checkpoint(f) draws what f draws.
  Value offset_in_step(Value offset) {
    std::uint64_t stride = 1;
    for (int i = 0; i <= body_depth(BodyKind::loop); ++i) stride *= 0x9E3779B97F4A7C15u;
    const Value factor = builder_.constant(constant(static_cast<std::int64_t>(stride)), {i64, {}});
    return builder_.add(builder_.add(offset, factor), builder_.mul(*step_, factor));
  }

  // Floating numbers of a recording may vary between calls, so they become inputs of the body; a
  // pass moves the constant ones back.
  bool is_outside(const Lazy& lazy) const {
    const bool is_number = lazy.node.op == Op::constant || lazy.node.op == Op::iota;
    const bool varies = lazy.node.op == Op::constant && is_floating(lazy.node.results[0].dtype);
    if (lazy.evaluated() || (varies && recorder_ != nullptr)) return true;
    if (lazy.node.op == Op::input && !lazy.is_detached) return true;
    return lazy.body < body_.id && !is_number;
  }

  void capture(Lazy* lazy) {
    captured_.emplace_back(reference_to(*lazy));
    add_captured(captured_.back());
  }

  // Of values with several results that were made outside, one result is captured.
  bool capture_part(const LazyValue& from) {
    Lazy* const lazy = inner(from.lazy.get());
    if (lazy->node.results.size() < 2 || !is_outside(*lazy)) return false;
    const auto [entry, is_new] = parts_.try_emplace({lazy, from.result});
    if (!is_new) return true;
    captured_.push_back(result_of(from.lazy, from.result, lazy->node.where));
    add_captured(captured_.back());
    entry->second = values_.at(captured_.back().lazy().get());
    return true;
  }

  static std::size_t operand_count(const Lazy& lazy) {
    return lazy.is_detached ? 1 : lazy.operands.size();
  }
  static Lazy* operand(const Lazy& lazy, std::size_t i) {
    return inner(lazy.is_detached ? lazy.stands_for.get() : lazy.operands[i].lazy.get());
  }

  // Iterative post-order, since chains may be long.
  void visit(Lazy* root) {
    Vector<std::pair<Lazy*, std::size_t>> path{{root, 0}};
    while (!path.empty()) {
      auto& [lazy, next] = path.back();
      if (values_.count(lazy) != 0) {
        path.pop_back();
      } else if (is_outside(*lazy)) {
        capture(lazy);
        path.pop_back();
      } else if (next < operand_count(*lazy)) {
        const std::size_t i = next++;
        if (!lazy->is_detached && capture_part(lazy->operands[i])) continue;
        Lazy* const from = operand(*lazy, i);
        if (values_.count(from) == 0) path.emplace_back(from, 0);
      } else {
        lazy->is_detached ? append_detached(*lazy) : append(*lazy);
        path.pop_back();
      }
    }
  }

  void append_detached(Lazy& lazy) {
    const Value value = values_.at(operand(lazy, 0));
    values_.emplace(&lazy, builder_.append(detached(value, builder_.type(value))));
  }

  Value value_of(const LazyValue& from) const {
    const Lazy* const lazy = inner(from.lazy.get());
    if (const auto part = parts_.find({lazy, from.result}); part != parts_.end()) {
      return part->second;
    }
    const Value first = values_.at(lazy);
    return {first.node, first.result + from.result};
  }

  Graph resolved(Graph graph) const {
    if (recorder_ == nullptr) return graph;
    return map_extents(std::move(graph), [&](Extent extent) { return recorder_->resolve(extent); });
  }

  void append_expression(Lazy& lazy) {
    Vector<Value> operands;
    for (const LazyValue& from : lazy.operands) operands.push_back(value_of(from));
    values_.emplace(&lazy, builder_.inlined(resolved(lazy.expression->graph), operands)[0]);
  }

  void append(Lazy& lazy) {
    if (lazy.expression != nullptr) return append_expression(lazy);
    Node node = lazy.node;
    for (const LazyValue& from : lazy.operands) {
      node.inputs.push_back(value_of(from));
    }
    Graph one;
    one.nodes.push_back(std::move(node));
    one = resolved(std::move(one));
    values_.emplace(&lazy, builder_.append(std::move(one.nodes[0])));
  }

  Builder builder_;
  const Body& body_;
  std::vector<Tensor>& captured_;
  const Recorder* recorder_ = current_recorder();
  Optional<Value> step_{};
  HashMap<const Lazy*, Value> values_{};
  SortedMap<std::pair<const Lazy*, std::uint32_t>, Value> parts_{};
};

SINTER_INLINE Body*& traced_body() {
  static thread_local Body* body = nullptr;
  return body;
}

SINTER_INLINE BodyScope::BodyScope(Body& body, BodyEffects effects)
    : body_(body), outer_(current_body), outer_body_(traced_body()) {
  static thread_local BodyId bodies = 0;
  if (body_.id == 0) {
    body_.id = ++bodies;
    if (outer_ == 0) per_thread<BodyRandom>() = {};
  }
  current_body = body_.id;
  body.handling = effects;
  traced_body() = &body;
  ++body_depth(body.kind);
}

SINTER_INLINE BodyScope::~BodyScope() {
  current_body = outer_;
  traced_body() = outer_body_;
  --body_depth(body_.kind);
}

SINTER_INLINE const Tensor& add_variable(Body& body, const TensorType& type, Where where) {
  Node node{.op = Op::input, .results = {type}, .where = where};
  LazyRef lazy = make_lazy(std::move(node), {}, 0);
  if (Recorder* const recorder = current_recorder()) recorder->adopt(lazy);
  body.variables.emplace_back(std::move(lazy));
  return body.variables.back();
}

SINTER_INLINE Graph graph_of(const Body& body, std::vector<Tensor>& captured, const Tensor* step) {
  Graph graph;
  BodyExtractor extractor(graph, body, captured, step);
  for (const Tensor& root : body.roots) extractor.add(root);
  for (const Tensor& result : body.results) {
    const Value value = extractor.add(result);
    graph.outputs.push_back(value);
  }
  return graph;
}

SINTER_INLINE void add_unused_inputs(Graph& graph, Span<const Tensor> captured, std::size_t first) {
  const Recorder* const recorder = current_recorder();
  Builder builder(graph);
  for (std::size_t i = first; i < captured.size(); ++i) {
    TensorType type = captured[i].type();
    if (recorder != nullptr) type.shape = recorder->resolve(type.shape);
    builder.input(type);
  }
}

SINTER_INLINE void fit_outputs(Graph& graph, Span<const TensorType> types) {
  Builder builder(graph);
  for (std::size_t i = 0; i < types.size(); ++i) {
    Value& output = graph.outputs[i];
    if (!same(builder.shape(output), types[i].shape)) {
      output = builder.reshape(output, types[i].shape);
    }
  }
}

SINTER_INLINE std::vector<Tensor> record_all(Node node, Span<const Tensor> operands, Where where) {
  Recorder* const recorder = current_recorder();
  LazyRef lazy = make_lazy(std::move(node), {}, 0);
  lazy->node.where = where;
  lazy->node.called = PublicCall::name();
  if (recorder != nullptr) lazy->node.path = recorder->path();
  Vector<TensorType> types;
  for (const Tensor& operand : operands) {
    const Tensor& known = imported(operand, where);
    lazy->operands.push_back({known.lazy(), known.result()});
    lazy->follow(*known.lazy());
    types.push_back(known.type(where));
    if (recorder != nullptr) types.back().shape = recorder->resolve(types.back().shape);
  }
  lazy->node.results = infer(lazy->node, types);
  if (recorder != nullptr) recorder->adopt(lazy);
  std::vector<Tensor> results;
  for (std::uint32_t i = 0; i < lazy->node.results.size(); ++i) {
    results.push_back(result_of(lazy, i, where));
  }
  return results;
}

SINTER_INLINE Tensor result_of(const LazyRef& lazy, std::uint32_t result, Where where) {
  if (lazy->node.results.size() == 1) return Tensor(lazy);
  Node node{.op = Op::reshape, .results = {lazy->node.results[result]}};
  return record_all(std::move(node), std::vector<Tensor>{Tensor(lazy, result)}, where)[0];
}

SINTER_INLINE BodyDraw next_body_draw(Where where) {
  BodyRandom& random = per_thread<BodyRandom>();
  const random::State state = random::next_state();
  const bool follows = random.seed.defined() && state.seed == random.first.seed &&
                       state.offset >= random.first.offset;
  if (!follows) {
    const auto number = [&](std::int64_t value) {
      return from_bytes(&value, sizeof(value), i64, {}, where);
    };
    random = {number(state.seed), number(state.offset), state};
    random.offset.lazy()->is_draw_offset = true;
  }
  return {random.seed, random.offset, state.offset - random.first.offset};
}

}  // namespace sinter::inline SINTER_ABI::detail
