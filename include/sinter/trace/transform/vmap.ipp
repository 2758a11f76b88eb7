#pragma once

#include <sinter/autodiff/batching/batch.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/subgraph/splice.hpp>
#include <sinter/trace/transform/effects.hpp>
#include <sinter/trace/transform/vmap.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE BatchAxes::BatchAxes(int axis) : axes_{axis}, is_list_(false) {}
SINTER_INLINE BatchAxes::BatchAxes(std::nullopt_t) : axes_{std::nullopt}, is_list_(false) {}
SINTER_INLINE BatchAxes::BatchAxes(std::initializer_list<std::optional<int>> axes) : axes_(axes) {}
SINTER_INLINE BatchAxes::BatchAxes(const std::vector<std::optional<int>>& axes)
    : axes_(axes.begin(), axes.end()) {}

SINTER_INLINE void BatchLeafCollector::note(const Tensor& value, std::optional<int> at,
                                            const LeafName& name) {
  value.type(where);  // throws if undefined
  const std::string member = to_string(name);
  leaves.push_back({value, at, owner + (member.empty() ? "" : ".") + member});
}

SINTER_INLINE void require_axes(const BatchAxes& axes, std::size_t count, std::string_view name,
                                Where where) {
  if (!axes.is_list() || axes.size() == count) return;
  throw ValueError(
      {.op = "vmap",
       .what = text(name, " has the wrong number of axes"),
       .facts = {{std::string(name), text(axes.size())},
                 {name == "in_axes" ? "arguments" : "results", text(count)}},
       .rule = "there is one axis for all, or one for each",
       .fix = "write unbatched for arguments that are the same for all samples: {0, unbatched}",
       .where = where});
}

// `x` with axis `from` moved to `to`, both non-negative.
SINTER_INLINE Tensor with_moved_axis(const Tensor& x, int from, int to, Where where) {
  if (from == to) return x;
  std::vector<int> axes;
  for (int axis = 0; axis < x.ndim(where); ++axis) {
    if (axis != from) axes.push_back(axis);
  }
  axes.insert(axes.begin() + to, from);
  return permute({x, where}, axes);
}

SINTER_INLINE Batch::Batch(Vector<BatchLeaf> arguments, Where where)
    : arguments_(std::move(arguments)), where_(where) {
  for (BatchLeaf& leaf : arguments_) {
    leaf.tensor = imported(leaf.tensor, where);
    if (!leaf.axis) continue;
    const int axis = axis_of(*leaf.axis, leaf.tensor, "vmap", where);
    note_size(leaf, leaf.tensor.size(axis));
    leaf.tensor = with_extent(leaf.tensor, axis, *count_, where);
    leaf.tensor = with_moved_axis(leaf.tensor, axis, 0, where);
  }
  if (count_) return;
  throw ValueError({.op = "vmap",
                    .what = "no argument is batched",
                    .facts = {},
                    .rule = "the number of samples is the size of an argument along its axis",
                    .fix = "call the function itself, or give in_axes: vmap(f, {0, unbatched})",
                    .where = where});
}

SINTER_INLINE void Batch::note_size(const BatchLeaf& leaf, Extent size) {
  if (!count_) {
    count_ = size, first_ = text(leaf.name, ": ", described(leaf.tensor));
    return;
  }
  if (equal_sizes(*count_, size, where_)) return;
  throw ShapeError(
      {.op = "vmap",
       .what = "batches have different sizes",
       .facts = {{"one", first_}, {"other", leaf.name + ": " + to_string(leaf.tensor)}},
       .rule = "all arguments have one size along the axes of the samples",
       .fix = "give the axis of each argument: vmap(f, {0, 1}), or unbatched for one "
              "that is the same for all samples",
       .where = where_});
}

SINTER_INLINE std::vector<Tensor> Batch::samples() {
  std::vector<Tensor> result;
  for (const BatchLeaf& leaf : arguments_) {
    if (!leaf.axis) {
      result.push_back(leaf.tensor);
      continue;
    }
    TensorType type{leaf.tensor.dtype(), {}};
    for (int axis = 1; axis < leaf.tensor.ndim(); ++axis) {
      type.shape.push_back(leaf.tensor.size(axis));
    }
    result.push_back(add_variable(body_, type, where_));
    result.back().lazy()->follow(*leaf.tensor.lazy());
  }
  return result;
}

// The batch axis of a result.
SINTER_INLINE int axis_of_result(const BatchLeaf& leaf, Where where) {
  const int rank = leaf.tensor.ndim() + 1;
  const int axis = *leaf.axis < 0 ? *leaf.axis + rank : *leaf.axis;
  if (axis >= 0 && axis < rank) return axis;
  throw IndexError({.op = "vmap",
                    .what = text("out_axes has axis ", *leaf.axis, ", which the result has not"),
                    .facts = {{leaf.name, to_string(leaf.tensor) + " for one sample"}},
                    .rule = text(-rank, " <= axis < ", rank),
                    .fix = "the batch axis can be before, between and after the axes of one sample",
                    .where = where,
                    .see = "axes"});
}

SINTER_INLINE void throw_batched_result(const BatchLeaf& leaf, Where where) {
  throw ValueError({.op = "vmap",
                    .what = "a result that is to be unbatched differs from sample to sample",
                    .facts = {{leaf.name, to_string(leaf.tensor)}},
                    .rule = "what is unbatched in out_axes depends on no batched argument",
                    .fix = "give it an axis: out_axes = 0",
                    .where = where});
}

// The operands of a batch as inputs of a graph: first the `batched` ones, then captures.
SINTER_INLINE Vector<autodiff::Batched> operands_of(Builder& builder, const Graph& sample,
                                                    std::size_t batched, Extent count) {
  Vector<autodiff::Batched> result;
  for (const NodeId input : sample.inputs) {
    const bool is_batched = result.size() < batched;
    const TensorType& type = sample.type(input);
    result.push_back({builder.input(is_batched ? stacked_type(type, count) : type), is_batched});
  }
  return result;
}

// Moves the batch axis of a result to `axis`.
SINTER_INLINE Value placed(Builder& builder, autodiff::Batched x, int axis, Extent count) {
  if (!x.is_batched) {
    const TensorType type = builder.type(x.value);
    const Value one = builder.reshape(x.value, stacked_type(type, 1).shape);
    x.value = builder.expand(one, stacked_type(type, count).shape);
  }
  return autodiff::move_axis(builder, x.value, 0, axis);
}

SINTER_INLINE std::vector<Tensor> Batch::results(const Vector<BatchLeaf>& results) {
  for (const BatchLeaf& leaf : results) body_.results.push_back(leaf.tensor);
  for (const Tensor& tensor : host_operands(body_)) body_.results.push_back(tensor);
  std::vector<Tensor> known, captured;
  const Graph sample = graph_of(body_, captured);
  for (const BatchLeaf& leaf : arguments_) {
    if (leaf.axis) known.push_back(leaf.tensor);
  }
  for (const Tensor& tensor : captured) known.push_back(imported(tensor, where_));
  const Recorder* const recorder = current_recorder();
  const Extent count = recorder != nullptr ? recorder->resolve(*count_) : *count_;
  Graph graph;
  Builder builder(graph);
  const auto operands = operands_of(builder, sample, body_.variables.size(), count);
  const auto found = autodiff::batch(builder, sample, operands, count);
  Vector<Value> wanted;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i].axis && found[i].is_batched) throw_batched_result(results[i], where_);
    wanted.push_back(results[i].axis
                         ? placed(builder, found[i], axis_of_result(results[i], where_), count)
                         : found[i].value);
  }
  for (std::size_t i = results.size(); i < found.size(); ++i) {
    wanted.push_back(placed(builder, found[i], 0, count));
  }
  std::vector<Tensor> batched = splice(graph, std::move(known), wanted, where_);
  for (std::size_t i = 0; i < batched.size(); ++i) follow(batched[i], body_.results[i]);
  call_host_functions_of_each(body_, batched, *count_, where_);
  batched.resize(results.size());
  return batched;
}

SINTER_INLINE void require_alike(const Tensor& first, const Tensor& other, Where where) {
  bool is_same = first.dtype() == other.dtype() && first.ndim() == other.ndim();
  for (int axis = 0; is_same && axis < first.ndim(); ++axis) {
    is_same = equal_sizes(first.size(axis), other.size(axis), where);
  }
  if (is_same) return;
  throw ShapeError({.op = "stack_modules",
                    .what = "modules differ",
                    .facts = {{"first", to_string(first)}, {"other", to_string(other)}},
                    .rule = "the tensors of all modules have the same dtypes and shapes",
                    .fix = "make all modules with the same sizes",
                    .where = where});
}

// Stacks tensor number `i` of all modules along a new axis 0.
SINTER_INLINE Tensor stacked_tensors(const Vector<Vector<BatchLeaf>>& parts, std::size_t i,
                                     Where where) {
  const Tensor& first = parts[0][i].tensor;
  if (!parts[0][i].axis) return first;
  std::vector<Tensor> known;
  Graph graph;
  Builder builder(graph);
  Vector<Value> values;
  for (const auto& part : parts) {
    require_alike(first, part.at(i).tensor, where);
    known.push_back(imported(part[i].tensor, where));
    values.push_back(builder.input(first.type()));
  }
  for (Value& value : values) {
    value = builder.reshape(value, stacked_type(builder.type(value), 1).shape);
  }
  const Value wanted[]{builder.concatenate(values, 0)};
  return splice(graph, std::move(known), wanted, where)[0];
}

SINTER_INLINE std::vector<Tensor> stacked(const Vector<Vector<BatchLeaf>>& parts, Where where) {
  if (parts.empty()) {
    throw ValueError({.op = "stack_modules",
                      .what = "there are no modules",
                      .facts = {},
                      .rule = "at least one module is stacked",
                      .fix = "make the modules of the ensemble first",
                      .where = where});
  }
  std::vector<Tensor> result;
  for (std::size_t i = 0; i < parts[0].size(); ++i) {
    result.push_back(stacked_tensors(parts, i, where));
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail
