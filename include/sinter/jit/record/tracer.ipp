#pragma once

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/error.hpp>
#include <sinter/base/time/phase.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/jit/interface/requires_grad.hpp>
#include <sinter/jit/record/tracer.hpp>
#include <sinter/trace/core/extract.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// Adds the inputs of the graph that are known up front: leaves, then seed and offset.
SINTER_INLINE void add_leaf_inputs(Extractor& extractor, Span<const Tensor> placeholders,
                                   Recorder& recorder, Recording& recording) {
  for (const Tensor& placeholder : placeholders) extractor.add_input(placeholder);
  recording.leaves = placeholders.size();
  recording.is_random = recorder.is_random();
  recording.draws = recorder.draws();
  if (!recording.is_random) return;
  extractor.add_input(recorder.random_seed());
  extractor.add_input(recorder.random_offset());
}

// If the recording is differentiated, detach() stays a node, at which gradients stop.
SINTER_INLINE Detached form_of_detached() {
  return leaves_requiring_grad() == nullptr ? Detached::as_values : Detached::as_nodes;
}

SINTER_INLINE Tensor evaluate_initial(const CreatedState& state, const Recorder& recorder,
                                      Device device) {
  const PhaseScope phase(CallPhase::initialize);
  state.placeholder.lazy()->set_device(device);
  Graph graph;
  Extractor extractor(graph, &recorder);
  graph.outputs.push_back(extractor.add(state.initial));
  graph = map_extents(std::move(graph),
                      [&recorder](Extent extent) { return Extent(recorder.hint(extent)); });
  Vector<Storage> inputs;
  for (const Tensor& input : extractor.inputs()) {
    if (!target_of(input.lazy().get())->evaluated()) {
      throw ValueError({.op = "create_state",
                        .what = "the initial value of state depends on an argument",
                        .facts = {{"state", to_string(state.initial)}},
                        .rule = "the initial value of state does not depend on arguments",
                        .fix = "start it with zeros_like(x)",
                        .where = state.initial.lazy()->node.where,
                        .see = "state"});
    }
    inputs.push_back(elements_of(input));
    require_readable(inputs.back(), *input.lazy(), device, recorder,
                     state.initial.lazy()->node.where);
  }
  auto elements = current_evaluator()->evaluate(graph, inputs, device);
  return Tensor(make_evaluated(graph.type(graph.outputs[0]), std::move(elements[0])));
}

}  // namespace detail

SINTER_INLINE Tracer::Tracer(const guard::Leaves& real, const LeafNames& names,
                             const CompileOptions& options, Varying varying, Where where)
    : real_(real),
      name_source_(names),
      options_(options),
      where_(where),
      recorder_(this),
      sizes_(recorder_, options, std::move(varying), where) {}

SINTER_INLINE const std::vector<std::string>& Tracer::names() const {
  if (names_.empty()) names_ = name_source_.leaves();
  return names_;
}

SINTER_INLINE std::string Tracer::leaf_name(std::size_t leaf) const {
  if (leaf < names().size()) return names()[leaf];
  const Outside& outside = recorder_.outside()[leaf - real_.list.size()];
  return text("the tensor used at ", sinter::to_string(outside.where));
}

SINTER_INLINE void Tracer::interrupt(Span<const Tensor> values, Break found) {
  throw GraphBreakError({.op = "compile",
                         .what = found.reason,
                         .facts = {{"x", values.empty() ? "" : to_string(values[0])}},
                         .rule = "with fullgraph, a function is one graph",
                         .fix = found.fix,
                         .where = found.where,
                         .see = "graph-breaks"});
}

SINTER_INLINE void Tracer::add_placeholder(const TensorType& type, const guard::Leaf& copy) {
  const Lazy& real = *real_.list[placeholders_.size()].tensor->lazy();
  placeholders_.push_back(recorder_.placeholder(type));
  placeholders_.back().lazy()->set_device(real.device());
  copy.tensor->set_value(placeholders_.back());  // keeps how it is divided
}

SINTER_INLINE void Tracer::begin(const guard::Leaves& copies) {
  require_one_device();
  for (std::size_t i = 0; i < copies.list.size(); ++i) {
    const TensorType& type = real_.list[i].tensor->type();
    Shape shape;
    for (int dim = 0; dim < type.shape.size(); ++dim) {
      shape.push_back(sizes_.size_of(real_.list[i], i, dim));
    }
    add_placeholder({type.dtype, shape}, copies.list[i]);
  }
  first_symbols_ = recorder_.symbols();
  recorder_.forget_outside_read();
}

SINTER_INLINE void Tracer::begin_like(const guard::Leaves& copies, const Recording& recording) {
  require_one_device();
  std::vector<std::int64_t> hints(recording.symbols.size());
  for (std::size_t i = 0; i < copies.list.size(); ++i) {
    const Shape &known = recording.types[i].shape, &real = real_.list[i].tensor->shape();
    for (int dim = 0; dim < known.size(); ++dim) {
      if (known[dim].is_symbol()) hints[known[dim].id()] = real[dim].number();
    }
  }
  for (std::size_t i = 0; i < hints.size(); ++i) {
    const SizeSymbol& known = recording.symbols[i];
    recorder_.symbol(known.symbol.symbol_info(), hints[i], known.freedom, known.name, known.marked);
  }
  for (std::size_t i = 0; i < copies.list.size(); ++i) {
    add_placeholder(recording.types[i], copies.list[i]);
  }
  first_symbols_ = recorder_.symbols();
  recorder_.forget_outside_read();
}

SINTER_INLINE void Tracer::throw_outside(const Tensor& tensor, Where where) const {
  throw ValueError({.op = "compile",
                    .what = "the function uses a value of another recording",
                    .facts = {{"tensor", to_string(tensor)}},
                    .rule = "values of a recording leave it as results of the function",
                    .fix = "return the tensor from the function that computes it",
                    .where = where,
                    .see = "traced-on-every-call"});
}

SINTER_INLINE const Tensor* Tracer::placeholder_of(const guard::Leaf& leaf,
                                                   const std::string& name) const {
  for (const CreatedState& state : recorder_.created()) {
    if (state.member == leaf.tensor) return &state.placeholder;
  }
  const auto known = find(this->names(), name);
  if (known == this->names().end()) return nullptr;
  return &placeholders_[static_cast<std::size_t>(known - this->names().begin())];
}

// The placeholder of each leaf that existed before the call or is created state.
SINTER_INLINE std::vector<Tensor> Tracer::placeholders_after(
    const guard::Leaves& after, const std::vector<std::string>& names) const {
  std::vector<Tensor> result;
  for (std::size_t i = 0; i < after.list.size(); ++i) {
    const Tensor* const placeholder = placeholder_of(after.list[i], names[i]);
    if (placeholder != nullptr) result.push_back(*placeholder);
  }
  return result;
}

// If the structure changes, every call creates the state again, so it is its initial value.
SINTER_INLINE void Tracer::use_initial_values() {
  for (const CreatedState& state : recorder_.created()) {
    state.placeholder.lazy()->stands_for = state.initial.lazy();
  }
}

// Rejects values that this recording did not make: they may differ in the next call.
SINTER_INLINE void Tracer::add_output(const Tensor& value, Extractor& extractor,
                                      Recording& recording) const {
  if (value.lazy()->recording != recorder_.id()) throw_outside(value, where_);
  recording.graph.outputs.push_back(extractor.add(value));
}

SINTER_INLINE void Tracer::add_results(const guard::Leaves& results, Extractor& extractor,
                                       Recording& recording) const {
  for (const guard::Leaf& leaf : results.list) {
    add_output(*leaf.tensor, extractor, recording);
  }
  recording.results = results.list.size();
}

// Adds the outputs that are new values of leaves.
SINTER_INLINE void Tracer::add_changed(const guard::Leaves& after, Span<const Tensor> before,
                                       Extractor& extractor, Recording& recording) const {
  for (std::size_t i = 0; i < after.list.size(); ++i) {
    const Tensor& value = *after.list[i].tensor;
    const auto is_value = [&](const Tensor& candidate) { return candidate.lazy() == value.lazy(); };
    if (recording.changes_structure) {
      const auto leaf = find_if(before, is_value);
      recording.source_leaves.push_back(
          leaf == before.end() ? -1 : static_cast<std::int32_t>(leaf - before.begin()));
      if (leaf != before.end()) continue;
    } else if (!after.list[i].is_mutable || is_value(before[i])) {
      continue;
    }
    add_output(value, extractor, recording);
    recording.changed.push_back(static_cast<std::int32_t>(i));
  }
}

SINTER_INLINE void Tracer::add_host_callbacks(Extractor& extractor, Recording& recording) {
  for (const Effect& effect : recorder_.take_effects()) {
    for (const Tensor& operand : effect.operands) add_output(operand, extractor, recording);
    recording.host_callbacks.push_back({effect.function, effect.operands.size()});
  }
}

// Adds the collectives on which results depend in the order of the program.
SINTER_INLINE void Tracer::add_collectives(const guard::Leaves& after, const guard::Leaves& results,
                                           Extractor& extractor) const {
  const Vector<Lazy*> ordered = recorder_.ordered_collectives();
  if (ordered.empty()) return;
  Graph graph;
  Extractor reached(graph, &recorder_, detail::form_of_detached());
  const auto reach = [&](const Tensor& value) {
    if (value.lazy()->recording == recorder_.id()) reached.add(value);
  };
  for (const guard::Leaf& leaf : results.list) reach(*leaf.tensor);
  for (const guard::Leaf& leaf : after.list) reach(*leaf.tensor);
  for (const Effect& effect : recorder_.effects()) {
    for (const Tensor& operand : effect.operands) reach(operand);
  }
  for (Lazy* const lazy : ordered) {
    if (reached.values().count(lazy) != 0) extractor.add(Tensor(reference_to(*lazy)));
  }
}

SINTER_INLINE Storage Tracer::captured_elements(const Tensor& input, Device device) const {
  const Outside* const outside = recorder_.outside_of(*input.lazy());
  if (outside == nullptr && input.lazy()->recording != recorder_.id()) throw_outside(input, where_);
  const Storage& elements = elements_of(outside == nullptr ? input : outside->tensor, where_);
  detail::require_readable(elements, *input.lazy(), device, recorder_, where_);
  return elements;
}

// The inputs after the known ones: elements that the function made or captured.
SINTER_INLINE void Tracer::take_captured(const Extractor& extractor, Recording& recording) const {
  const std::size_t known = recording.leaves + (recording.is_random ? 2 : 0);
  for (std::size_t i = known; i < extractor.inputs().size(); ++i) {
    recording.captured.push_back(captured_elements(extractor.inputs()[i], recording.device));
  }
}

SINTER_INLINE Recording Tracer::make_recording(const guard::Leaves& after,
                                               const std::vector<std::string>& names,
                                               const guard::Leaves& results, Hash structure_before,
                                               Hash structure_after) {
  recorder_.fix_sizes();
  Recording recording;
  recording.device = detail::device_of(placeholders_, results);
  std::vector<Tensor> before = placeholders_after(after, names);
  const std::size_t created = recorder_.created().size();
  recording.changes_structure = before.size() != after.list.size() ||
                                before.size() != placeholders_.size() + created ||
                                (created == 0 && structure_before != structure_after);
  if (recording.changes_structure) {
    before = placeholders_;
    use_initial_values();
  } else {
    for (CreatedState state : recorder_.created()) {
      state.initial = detail::evaluate_initial(state, recorder_, recording.device);
      created_.push_back(state);
    }
  }
  recording.graph.tf32 = detail::allows_tf32(real_);
  Extractor extractor(recording.graph, &recorder_, detail::form_of_detached());
  detail::add_leaf_inputs(extractor, before, recorder_, recording);
  add_collectives(after, results, extractor);
  add_results(results, extractor, recording);
  add_changed(after, before, extractor, recording);
  add_host_callbacks(extractor, recording);
  take_captured(extractor, recording);
  save_for_gradients(recording, before, placeholders_);
  for (const Tensor& placeholder : before) recording.types.push_back(placeholder.type());
  recording.symbols = first_symbols_;
  recording.guard = guard::make_guard(recorder_, recording.types,
                                      recording.changes_structure ? this->names() : names);
  note_leaves(before, recording.guard);
  recording.guard.structure = recording.changes_structure ? structure_before : structure_after;
  return recording;
}

namespace detail {

SINTER_INLINE Device device_of(const std::vector<Tensor>& arguments, const guard::Leaves& results) {
  for (const Tensor& argument : arguments) {
    if (argument.lazy()->device().is_cuda()) return argument.lazy()->device();
  }
  for (const guard::Leaf& leaf : results.list) {
    if (leaf.tensor->lazy()->device().is_cuda()) return leaf.tensor->lazy()->device();
  }
  return cpu();
}

// A 0-d tensor that a call updates is on the host before the first call and on the GPU after it.
// If another leaf determines the GPU, one recording serves both.
SINTER_INLINE void note_devices(Span<const Tensor> leaves, guard::Guard& guard) {
  Device gpu = cpu();
  for (const Tensor& leaf : leaves) {
    if (leaf.ndim() != 0 && leaf.lazy()->device().is_cuda()) gpu = leaf.lazy()->device();
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    guard::LeafGuard& one = guard.leaves[i];
    one.may_be_on_host = gpu.is_cuda() && leaves[i].ndim() == 0;
    one.device = one.may_be_on_host ? gpu : leaves[i].lazy()->device();
  }
}

// Programs read memory of their device and of the host. If two tensors conflict, the error names
// the captured one, because require_one_device already checked the arguments.
SINTER_INLINE void require_readable(const Storage& elements, const Lazy& input, Device device,
                                    const Recorder& recorder, Where where) {
  if (elements.device().is_cpu() || elements.device() == device) return;
  const Outside* found = recorder.outside_of(input);
  for (const Outside& one : recorder.outside()) {
    if (found == nullptr && one.tensor.device() == device) found = &one;
  }
  const bool is_other = found != nullptr && found->tensor.device() == device;
  const std::string name = found == nullptr ? "" : to_string(found->tensor) + " ";
  const Device here = is_other ? device : elements.device();
  const Device others = is_other ? elements.device() : device;
  throw DeviceError({.op = "compile",
                     .what = "the function uses a tensor of another device",
                     .facts = {{"tensor", text(name, "on ", to_string(here))},
                               {"others", text("on ", to_string(others))}},
                     .rule = "all tensors of a call are on one device, but for numbers",
                     .fix = "move it with x.to(device) before the call",
                     .where = found == nullptr ? where : found->where,
                     .see = "devices"});
}

}  // namespace detail

// 0-d tensors on the host go with any device.
SINTER_INLINE void Tracer::require_one_device() const {
  const Tensor* on_gpu = nullptr;
  const Tensor* elsewhere = nullptr;
  for (const guard::Leaf& leaf : real_.list) {
    const Device device = leaf.tensor->lazy()->device();
    const bool is_gpu = device.is_cuda() && (on_gpu == nullptr || on_gpu->device() == device);
    if (is_gpu) on_gpu = leaf.tensor;
    if (!is_gpu && (device.is_cuda() || leaf.tensor->ndim() != 0)) elsewhere = leaf.tensor;
  }
  if (on_gpu == nullptr || elsewhere == nullptr) return;
  const auto name = [&](const Tensor* tensor) {
    std::size_t i = 0;
    while (real_.list[i].tensor != tensor) ++i;
    return text(names()[i], ", ", to_string(*tensor), " on ", to_string(tensor->device()));
  };
  throw DeviceError({.op = "compile",
                     .what = "arguments are on different devices",
                     .facts = {{"one", name(on_gpu)}, {"other", name(elsewhere)}},
                     .rule = "all tensors of a call are on one device, but for numbers",
                     .fix = "move them with x.to(device), and modules with nn::to(module, device)",
                     .where = where_,
                     .see = "devices"});
}

SINTER_INLINE bool Tracer::has_small_marked_size() const {
  for (const guard::Leaf& leaf : real_.list) {
    const Marks* const marks = leaf.tensor->marks();
    if (marks == nullptr) continue;
    for (const Mark& mark : *marks) {
      if (mark.kind != Mark::Kind::dynamic) continue;
      if (leaf.tensor->shape()[mark.dim].number() < 2) return true;
    }
  }
  return false;
}

SINTER_INLINE void Tracer::note_leaves(Span<const Tensor> leaves, guard::Guard& guard) const {
  detail::note_devices(leaves, guard);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Lazy& lazy = *leaves[i].lazy();
    const bool is_argument =
        lazy.position < placeholders_.size() && placeholders_[lazy.position].lazy().get() == &lazy;
    if (!is_argument) continue;  // created state
    const Shape& shape = leaves[i].type().shape;
    for (int dim = 0; dim < shape.size(); ++dim) {
      if (!shape[dim].is_number()) continue;
      guard.leaves[i].reasons[static_cast<std::size_t>(dim)] =
          sizes_.reason_of(real_.list[lazy.position], dim);
    }
  }
}

// Captured tensors are numbered after the leaves of the arguments.
SINTER_INLINE TensorType Tracer::type_of_outside(const Tensor& outside, std::size_t index) {
  TensorType type{outside.dtype(), {}};
  const std::size_t leaf = real_.list.size() + index;
  const bool follows = recorder_.has_free_sizes();  // otherwise there is nothing to unify with
  for (int dim = 0; dim < outside.ndim(); ++dim) {
    type.shape.push_back(sizes_.size_of(outside, leaf, dim, !follows));
  }
  return type;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
