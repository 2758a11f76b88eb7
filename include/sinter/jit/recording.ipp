#pragma once

#include <algorithm>  // std::find

#include <sinter/graph/rewrite.hpp>
#include <sinter/jit/recording.hpp>
#include <sinter/trace/extract.hpp>

namespace sinter::inline SINTER_ABI::jit {

namespace detail {

// Values of this recording that several outputs share are fine; what an output is in the graph.
SINTER_INLINE void add_leaf_inputs(Extractor& extractor, std::span<const Tensor> placeholders,
                                   Recorder& recorder, Recording& recording) {
  for (const Tensor& placeholder : placeholders) extractor.add_input(placeholder);
  recording.leaves = placeholders.size();
  recording.is_random = recorder.is_random();
  if (!recording.is_random) return;
  extractor.add_input(recorder.random_seed());
  extractor.add_input(recorder.random_offset());
}

// Inputs beyond those that were put in: elements that the function made while it was recorded.
SINTER_INLINE void take_captured(const Extractor& extractor, Recording& recording) {
  const std::size_t known = recording.leaves + (recording.is_random ? 2 : 0);
  for (std::size_t i = known; i < extractor.inputs().size(); ++i) {
    recording.captured.push_back(elements_of(extractor.inputs()[i]));
  }
}

// The elements that created state starts with. They are computed by themselves, so they must not
// need arguments of the call.
SINTER_INLINE Tensor evaluate_initial(const CreatedState& state, const Recorder& recorder) {
  Graph graph;
  Extractor extractor(graph, &recorder);
  graph.outputs.push_back(extractor.add(state.initial));
  graph = map_extents(std::move(graph),
                      [&recorder](Extent extent) { return Extent(recorder.hint(extent)); });
  std::vector<Storage> inputs;
  for (const Tensor& input : extractor.inputs()) {
    if (!target_of(input.lazy().get())->evaluated()) {
      throw ValueError({.op = "create_state",
                        .what = "state starts with a value that depends on an argument",
                        .facts = {{"state", to_string(state.initial)}},
                        .rule = "what state starts with needs no argument of the call",
                        .fix = "start it with zeros_like(x)",
                        .where = state.initial.lazy()->node.where,
                        .see = "state"});
    }
    inputs.push_back(elements_of(input));
  }
  auto elements = current_evaluator()->evaluate(graph, inputs);
  return Tensor(make_evaluated(graph.type(graph.outputs[0]), std::move(elements[0])));
}

}  // namespace detail

SINTER_INLINE std::vector<schedule::Update> Recording::updates() const {
  std::vector<schedule::Update> result;
  if (changes_structure) return result;
  for (std::size_t i = 0; i < changed.size(); ++i) {
    result.push_back({changed[i], static_cast<std::int32_t>(results + i)});
  }
  return result;
}

SINTER_INLINE RecordingSession::RecordingSession(const guard::Leaves& real,
                                                 std::vector<std::string> names,
                                                 const CompileOptions& options,
                                                 Varying varying)
    : real_(real), names_(std::move(names)), options_(options), varying_(std::move(varying)) {}

SINTER_INLINE const Mark* RecordingSession::mark_of(std::size_t leaf, int dim) const {
  const Marks* const marks = real_.list[leaf].tensor->marks();
  if (marks == nullptr) return nullptr;
  const auto mark = std::find_if(marks->begin(), marks->end(),
                                 [dim](const Mark& candidate) { return candidate.dim == dim; });
  return mark == marks->end() ? nullptr : &*mark;
}

SINTER_INLINE Extent RecordingSession::named_symbol(const std::string& name, std::int64_t hint,
                                                    const SymbolInfo& known, Where where) {
  const auto entry = named_.find(name);
  if (entry != named_.end()) return entry->second;
  const Extent symbol = recorder_.symbol(known, hint, Freedom::marked, name, where);
  named_.emplace(name, symbol);
  return symbol;
}

SINTER_INLINE Extent RecordingSession::size_of(std::size_t leaf, int dim) {
  const guard::Leaf& real = real_.list[leaf];
  const Extent size = real.tensor->shape()[dim];
  if (options_.dynamic == Dynamic::off) return size;
  const std::int64_t hint = size.number();
  if (real.dims != nullptr && real.dims[dim].size < 0 && real.dims[dim].name[0] != 0) {
    return named_symbol(real.dims[dim].name, hint, {}, {});
  }
  const std::string name = text(names_[leaf], ".size(", dim, ")");
  const Mark* const mark = mark_of(leaf, dim);
  if (mark != nullptr) {
    if (mark->kind == Mark::Kind::fixed) return size;
    const SymbolInfo known{mark->range.min, mark->range.max, mark->range.multiple_of};
    const bool firm = mark->kind == Mark::Kind::dynamic;
    return recorder_.symbol(known, hint, firm ? Freedom::marked : Freedom::automatic, name,
                            mark->where);
  }
  if (real.is_module_state || hint < 2) return size;
  const bool varies = options_.dynamic == Dynamic::on || varying_.count({leaf, dim}) != 0;
  if (varies) return recorder_.symbol({.min = 2}, hint, Freedom::automatic, name);
  return recorder_.symbol({}, hint, Freedom::fixed, name);
}

SINTER_INLINE void RecordingSession::begin(const guard::Leaves& copies) {
  for (std::size_t i = 0; i < copies.list.size(); ++i) {
    const TensorType& type = real_.list[i].tensor->type();
    Shape shape;
    for (int dim = 0; dim < type.shape.size(); ++dim) shape.push_back(size_of(i, dim));
    placeholders_.push_back(recorder_.placeholder({type.dtype, shape}));
    *copies.list[i].tensor = placeholders_.back();
  }
}

SINTER_INLINE void RecordingSession::require_closed() const {
  if (recorder_.outside().empty()) return;
  const auto& [tensor, where] = recorder_.outside().front();
  throw ValueError({.op = "compile",
                    .what = "the function uses a tensor that is not an argument",
                    .facts = {{"tensor", to_string(tensor)}},
                    .rule = "this version compiles functions of their arguments only",
                    .fix = "pass the tensor as an argument, or list it in a module",
                    .where = where,
                    .see = "open-callables"});
}

SINTER_INLINE const Tensor* RecordingSession::placeholder_of(const guard::Leaf& leaf,
                                                             const std::string& name) const {
  for (const CreatedState& state : recorder_.created()) {
    if (state.member == leaf.tensor) return &state.placeholder;
  }
  const auto known = std::find(names_.begin(), names_.end(), name);
  if (known == names_.end()) return nullptr;
  return &placeholders_[static_cast<std::size_t>(known - names_.begin())];
}

SINTER_INLINE Recording RecordingSession::finish(const guard::Leaves& after,
                                                 const std::vector<std::string>& names,
                                                 const guard::Leaves& results,
                                                 Hash structure_before, Hash structure_after) {
  require_closed();
  recorder_.fix_sizes();
  for (CreatedState state : recorder_.created()) {
    state.initial = detail::evaluate_initial(state, recorder_);
    created_.push_back(state);
  }
  Recording recording;
  std::vector<Tensor> before;  // the placeholder of each leaf that was there
  for (std::size_t i = 0; i < after.list.size(); ++i) {
    const Tensor* const placeholder = placeholder_of(after.list[i], names[i]);
    if (placeholder != nullptr) before.push_back(*placeholder);
  }
  const std::size_t created = recorder_.created().size();
  recording.changes_structure = before.size() != after.list.size() ||
                                before.size() != placeholders_.size() + created ||
                                (created == 0 && structure_before != structure_after);
  if (recording.changes_structure) before = placeholders_;

  Extractor extractor(recording.graph, &recorder_);
  detail::add_leaf_inputs(extractor, before, recorder_, recording);
  for (const guard::Leaf& leaf : results.list) {
    recording.graph.outputs.push_back(extractor.add(*leaf.tensor));
  }
  recording.results = results.list.size();
  for (std::size_t i = 0; i < after.list.size(); ++i) {
    const bool same_value = !recording.changes_structure &&
                            after.list[i].tensor->lazy() == before[i].lazy();
    if (same_value || !(after.list[i].is_mutable || recording.changes_structure)) continue;
    recording.graph.outputs.push_back(extractor.add(*after.list[i].tensor));
    recording.changed.push_back(static_cast<std::int32_t>(i));
  }
  detail::take_captured(extractor, recording);

  std::vector<TensorType> types;
  for (const Tensor& placeholder : before) types.push_back(placeholder.type());
  recording.guard = guard::make_guard(recorder_, types,
                                      recording.changes_structure ? names_ : names);
  recording.guard.structure = recording.changes_structure ? structure_before : structure_after;
  return recording;
}

}  // namespace sinter::inline SINTER_ABI::jit
