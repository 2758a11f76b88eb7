#pragma once

#include <cstdlib>  // std::abs
#include <cstring>  // std::memcpy
#include <utility>  // std::exchange

#include <sinter/autodiff/gradient_functions.hpp>
#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/time/phase.hpp>
#include <sinter/graph/callee.hpp>
#include <sinter/graph/hash.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/jit/lower/lower.hpp>
#include <sinter/jit/lower/options.hpp>
#include <sinter/jit/rewrite/lifted_numbers.hpp>
#include <sinter/jit/run/replayable.hpp>
#include <sinter/jit/run/segmented_tracer.hpp>
#include <sinter/jit/run/tape_graph.hpp>
#include <sinter/jit/state/background.hpp>
#include <sinter/jit/state/state.hpp>
#include <sinter/runtime/host/background.hpp>
#include <sinter/trace/core/evaluate.hpp>
#include <sinter/trace/core/extract.hpp>
#include <sinter/trace/value/hash.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// Larger numbers mean the end of an axis, as in slices.
inline constexpr std::int64_t max_program_size = std::int64_t{1} << 48;

// During its lifetime, gradient variables forward to the values that they stand for.
class VariablesAsValues {
 public:
  explicit VariablesAsValues(const Recorder& recorder) : variables_(recorder.active_variables()) {
    for (const auto& [variable, value] : variables_) variable.lazy()->stands_for = value.lazy();
  }
  VariablesAsValues(const VariablesAsValues&) = delete;
  VariablesAsValues& operator=(const VariablesAsValues&) = delete;
  ~VariablesAsValues() {
    for (const auto& [variable, value] : variables_) variable.lazy()->stands_for.reset();
  }

 private:
  Span<const std::pair<Tensor, Tensor>> variables_;
};

}  // namespace detail

SINTER_INLINE SegmentedTracer::SegmentedTracer(State& state, const CallSignature& call,
                                               const LeafNames& names, Varying varying,
                                               OnMiss on_miss)
    : Tracer(call.leaves, names, state.options(), std::move(varying), state.where()),
      state_(state),
      structure_(call.structure),
      on_miss_(on_miss),
      seen_outside_(state.outside_sizes()),
      outer_differentiations_(active_differentiations()) {}

SINTER_INLINE random::Draw& SegmentedTracer::draw() {
  if (!memory_.draw) memory_.draw.emplace(random::Draw::unknown);
  return *memory_.draw;
}

SINTER_INLINE TensorType SegmentedTracer::type_of_outside(const Tensor& outside,
                                                          std::size_t index) {
  if (!may_capture_) detail::throw_captured(outside, where());
  const Shape& shape = outside.shape();
  const auto is_new = [&] {
    if (index >= seen_outside_->shapes.size()) return true;
    const Shape& before = seen_outside_->shapes[index];
    return before.size() == shape.size() && !same(before, shape);
  };
  if (on_miss_ == OnMiss::compile && is_new()) seen_outside_ = state_.note_outside(index, shape);
  for (int dim = 0; dim < shape.size(); ++dim) {
    if (seen_outside_->varying.count({index, dim}) != 0) let_vary(real().list.size() + index, dim);
  }
  return Tracer::type_of_outside(outside, index);
}

// Counts symbols as well, because the same size may be a number in another call.
SINTER_INLINE Extent SegmentedTracer::size_of_program(Extent size, bool of_elements, Where where) {
  const SizePlace place{word_of(where), sizes_at_[word_of(where)]++};
  if (!size.is_number() || options().dynamic == Dynamic::off) return size;
  const std::int64_t number = std::abs(size.number());
  if (number < 2 || number > detail::max_program_size) return size;
  const bool varies = state_.varies(place, number, on_miss_ == OnMiss::compile);
  const bool follows = of_elements && recorder().has_free_sizes();
  if (!varies && !follows) return size;
  const SymbolInfo known = varies ? SymbolInfo{.min = 2} : SymbolInfo{};
  const Extent symbol =
      recorder().symbol(known, number, varies ? Freedom::automatic : Freedom::fixed,
                        text("the size at ", sinter::to_string(where)));
  return size.number() < 0 ? Extent(0) - symbol : symbol;
}

SINTER_INLINE SegmentedTracer::~SegmentedTracer() { release(); }

SINTER_INLINE std::string SegmentedTracer::reason_to_retrace(const guard::Leaves& results,
                                                             const guard::Leaves& after,
                                                             bool is_pure) {
  if (was_interrupted()) return "it reads on the host";
  return detail::reason_to_retrace(recorder(), results, after, is_pure);
}

SINTER_INLINE Hash SegmentedTracer::final_key(const guard::Leaves& after,
                                              const LeafNames& names_after) {
  fix_sizes_once();
  Vector<LeafUpdate> updates = leaf_updates(after, names_after);
  if (!recorder().effects().empty()) updates.clear();
  return key_of(detail::escaping_values(recorder()), updates);
}

SINTER_INLINE bool SegmentedTracer::is_known(const guard::Leaves& after,
                                             const LeafNames& names_after) {
  return state_.segments().find(final_key(after, names_after), recorder().tape()) != nullptr;
}

SINTER_INLINE bool SegmentedTracer::is_known_but_for_numbers() {
  const Numbers numbers = numbers_of(detail::escaping_values(recorder()));
  return state_.segments().knows_numbers(numbers.kind, numbers.bits.size());
}

SINTER_INLINE void SegmentedTracer::note_numbers() {
  const Numbers numbers = numbers_of(detail::escaping_values(recorder()));
  state_.segments().choose_inputs(numbers.kind, numbers.bits, false);
}

SINTER_INLINE void SegmentedTracer::interrupt(Span<const Tensor> values, Break found) {
  if (requester_ == Requester::prepare) detail::throw_no_elements(found);
  const MemberOptions* const member = member_options(recorder().path());
  const bool is_one_graph = state_.options().fullgraph || (member != nullptr && member->fullgraph);
  if (is_one_graph) Tracer::interrupt(values, std::move(found));
  if (ticket_ != nullptr) ticket_->end();
  state_.note_break(found);
  report_.breaks.push_back(std::move(found));
  const RecorderScope outside(nullptr);
  Positions outputs;
  {
    const detail::VariablesAsValues scope(recorder());
    const auto want = [&](const Tensor& value) {
      const Lazy& target = *target_of(value.lazy().get());
      if (!detail::is_input(target) && !target.evaluated()) outputs.push_back(target.position);
    };
    for (const Tensor& value : values) want(value);
    for (const Effect& effect : recorder().effects()) {
      for (const Tensor& operand : effect.operands) want(operand);
    }
    start_created_state();
    if (!outputs.empty())
      compute(detail::with_escaping_operands(recorder(), std::move(outputs)), {});
    for (const Tensor& value : values) give_elements(value);
    if (!recorder().effects().empty()) {
      pause();
      call_host_functions();
      resume();
    }
  }
  recorder().tape().drop_unused();
}

SINTER_INLINE void SegmentedTracer::interrupt_all(Break found) {
  std::vector<Tensor> values;
  for (const std::uint32_t position : detail::escaping_values(recorder())) {
    values.emplace_back(recorder().tape().values()[position]);
  }
  interrupt(values, std::move(found));
}

// Gives `value` elements to read, even while it is a gradient variable.
SINTER_INLINE void SegmentedTracer::give_elements(const Tensor& value) {
  Lazy& target = *target_of(value.lazy().get());
  if (!target.evaluated()) {
    target.elements.push_back(elements_of(*real_of(target)));
    read_inputs_.push_back(&target);
  }
  for (Lazy* lazy = value.lazy().get(); lazy != &target; lazy = lazy->stands_for.get()) {
    if (lazy->evaluated()) continue;
    lazy->elements = target.elements;
    read_inputs_.push_back(lazy);
  }
}

SINTER_INLINE Vector<LeafUpdate> SegmentedTracer::leaf_updates(const guard::Leaves& after,
                                                               const LeafNames& names_after) const {
  Vector<LeafUpdate> result;
  if (!requires_grad().empty()) return result;  // the backward graph reads the old values
  const bool is_same_list = after.list.size() == placeholders().size();
  if (!is_same_list && recorder().created().empty()) return result;
  const std::vector<std::string> names =
      is_same_list ? std::vector<std::string>() : names_after.leaves();
  for (std::size_t i = 0; i < after.list.size(); ++i) {
    const Lazy& value = *after.list[i].tensor->lazy();
    if (!after.list[i].is_mutable || detail::is_input(value) || value.evaluated()) continue;
    const Tensor* const placeholder =
        is_same_list ? &placeholders()[i] : placeholder_of(after.list[i], names[i]);
    if (placeholder == nullptr) continue;
    const Lazy& before = *placeholder->lazy();
    const bool is_leaf = detail::is_leaf_of(before, placeholders());
    const auto leaf = is_leaf ? static_cast<std::int32_t>(before.position) : -1;
    result.push_back({&before, leaf, value.position});
  }
  return result;
}

SINTER_INLINE std::vector<std::int64_t> SegmentedTracer::hints() const {
  std::vector<std::int64_t> result;
  for (const SizeSymbol& symbol : recorder().symbols()) result.push_back(symbol.hint);
  return result;
}

SINTER_INLINE Hash SegmentedTracer::key_of(const Positions& outputs,
                                           Span<const LeafUpdate> updates) const {
  return detail::key_of(*this, outputs, updates, requires_grad());
}

SINTER_INLINE void SegmentedTracer::compute(const Positions& outputs,
                                            Span<const LeafUpdate> updates) {
  SharedPtr<const Segment> segment = segment_for(outputs, updates);
  memory_.inputs.clear();
  for (const std::uint32_t position : segment->inputs) {
    memory_.inputs.push_back(const_cast<void*>(input_at(*segment, position)));
  }
  memory_.packed_from.clear();
  for (const std::int32_t input : segment->runnable.program->packed_inputs()) {
    memory_.packed_from.push_back(storage_at(segment->inputs[static_cast<std::size_t>(input)]));
  }
  report_.symbols = hints();
  memory_.where = state_.where();
  state_.require_memory(segment->runnable, report_.symbols);
  {
    const PhaseScope phase(CallPhase::run);
    run(segment->runnable, real().list, report_.symbols, memory_);
  }
  report_.allocations += memory_.allocations;
  if (segment->callee != nullptr) attach_grad_fn(*segment);
  if (memory_.moved >= 0) report_.moved = names()[static_cast<std::size_t>(memory_.moved)];
  give_results(*segment);
  report_.segments.push_back(std::move(segment));
}

SINTER_INLINE Graph SegmentedTracer::extract(const Positions& outputs, HashSet<const Lazy*> numbers,
                                             std::vector<Tensor>& inputs,
                                             Span<const LeafUpdate> updates) const {
  const detail::Extraction form{requires_grad().empty() ? Detached::as_values : Detached::as_nodes,
                                !sizes_fixed_};
  return detail::extract(*this, form, outputs, std::move(numbers), inputs, updates);
}

SINTER_INLINE SegmentedTracer::Numbers SegmentedTracer::numbers_of(const Positions& outputs) const {
  const Tape& tape = recorder().tape();
  HashSet<const Lazy*> all;
  for (const std::uint32_t position : tape.numbers()) all.insert(tape.values()[position].get());
  Numbers result;
  std::vector<Tensor> inputs;
  result.kind = hash_of(extract(outputs, std::move(all), inputs));
  for (const Tensor& input : inputs) {
    const Lazy& lazy = *input.lazy();
    if (detail::is_input(lazy) || lazy.evaluated()) continue;
    result.values.push_back(&lazy);
    result.bits.push_back(bits_of_number(lazy));
  }
  return result;
}

SINTER_INLINE SharedPtr<const Segment> SegmentedTracer::make_segment(
    const Hash& key, const Positions& outputs, Span<const LeafUpdate> updates) {
  auto segment = make_shared_ptr<Segment>();
  segment->outputs = outputs, segment->recording = recorder().id();
  const Numbers numbers = numbers_of(outputs);
  const Vector<bool> are_inputs = state_.segments().choose_inputs(numbers.kind, numbers.bits, true);
  HashSet<const Lazy*> lifted;
  for (std::size_t i = 0; i < numbers.values.size(); ++i) {
    const Lazy& number = *numbers.values[i];
    segment->numbers.push_back({number.position, numbers.bits[i], are_inputs[i]});
    if (are_inputs[i]) lifted.insert(&number);
  }
  std::vector<Tensor> inputs;
  segment->graph = extract(outputs, std::move(lifted), inputs, updates);
  for (const Tensor& input : inputs) segment->inputs.push_back(input.lazy()->position);
  const Vector<schedule::Update> pairs =
      detail::updates_of(recorder().tape(), *segment, inputs, updates);
  segment->device = detail::device_of(recorder().tape(), outputs);
  save_for_gradients(*segment, inputs);
  const SegmentProgram lowered =
      state_.lower_segment(segment->graph, pairs, segment->device, on_miss_, requester_);
  if (lowered.program == nullptr) refuse();
  segment->runnable = runnable_of(segment->graph, pairs, lowered.program, lowered.symbols);
  for (const schedule::Update& pair : pairs) {  // numbered by leaf, not by input
    const Lazy& input = *inputs[static_cast<std::size_t>(pair.input)].lazy();
    segment->runnable.outputs[static_cast<std::size_t>(pair.output)].updates =
        detail::is_leaf_of(input, placeholders()) ? static_cast<std::int32_t>(input.position) : -1;
  }
  add_callee(*segment, lowered);
  report_.compiled = report_.compiled || lowered.is_new;
  report_.interpreted = report_.interpreted || lowered.is_for_one_call;
  segment->updates = pairs;
  segment->is_interim = lowered.is_interim;
  segment->compile_seconds = lowered.compile_seconds;
  segment->is_cached = !lowered.is_for_one_call;
  if (!lowered.is_for_one_call) state_.segments().add(key, segment);
  if (lowered.is_interim) compile_in_background(state_.weak_from_this(), key, segment);
  return segment;
}

SINTER_INLINE const Tensor* SegmentedTracer::real_of(const Lazy& input) const {
  return detail::real_of(*this, input);
}

SINTER_INLINE const void* SegmentedTracer::number_at(const Lazy& number) {
  const std::uint64_t element = element_of(attribute<Constant>(number.node, "value"));
  numbers_.push_back(make_unique_ptr<std::uint64_t>(element));
  return numbers_.back().get();
}

SINTER_INLINE const void* SegmentedTracer::input_at(const Segment& segment,
                                                    std::uint32_t position) {
  const Lazy& lazy = *recorder().tape().values()[position];
  if (!detail::is_input(lazy) && !lazy.evaluated()) return number_at(lazy);
  const Tensor* const real = lazy.evaluated() ? nullptr : real_of(lazy);
  if (!lazy.evaluated() && real == nullptr) return random_input(lazy);
  const Storage& elements = real == nullptr ? lazy.elements[0] : elements_of(*real, where());
  detail::require_readable(elements, lazy, segment.device, recorder(), where());
  return elements.data();
}

// The storage of an input; null for constants and for the random state.
SINTER_INLINE const Storage* SegmentedTracer::storage_at(std::uint32_t position) const {
  const Lazy& lazy = *recorder().tape().values()[position];
  if (lazy.evaluated()) return &lazy.elements[0];
  const Tensor* const real = detail::is_input(lazy) ? real_of(lazy) : nullptr;
  return real == nullptr ? nullptr : &elements_of(*real, where());
}

SINTER_INLINE const void* SegmentedTracer::random_input(const Lazy& input) {
  const bool is_seed = &input == recorder().random_seed().lazy().get();
  memory_.random_state[0] = draw().state().seed;
  memory_.random_state[1] = draw().state().offset;
  return &memory_.random_state[is_seed ? 0 : 1];
}

// Gives the computed elements to the values on the tape.
SINTER_INLINE void SegmentedTracer::give_results(const Segment& segment) {
  std::size_t output = 0;
  for (const std::uint32_t position : segment.outputs) {
    Lazy& lazy = *recorder().tape().values()[position];
    for (std::size_t result = 0; result < lazy.node.results.size(); ++result, ++output) {
      const std::int32_t leaf = segment.runnable.outputs[output].updates;
      Storage& owned = memory_.owned[output];
      if (owned) lazy.set_device(owned.device());
      lazy.elements.push_back(
          owned ? std::move(owned)
                : real().list[static_cast<std::size_t>(leaf)].tensor->lazy()->elements[0]);
    }
    recorder().tape().note(position);
    if (active_differentiations() <= outer_differentiations_) lazy.operands.clear();
  }
  memory_.owned.clear();
}

SINTER_INLINE Tensor SegmentedTracer::real_value(const Tensor& value) {
  Lazy& target = *target_of(value.lazy().get());
  if (const Tensor* const real = real_of(target)) return *real;
  TensorType type = target.node.results[value.result()];
  Shape shape;
  for (const Extent& extent : type.shape) shape.push_back(recorder().hint(extent));
  return Tensor(make_evaluated({type.dtype, shape}, target.elements[value.result()]));
}

SINTER_INLINE Vector<bool> SegmentedTracer::requires_grad() const {
  return outer_differentiations_ == 0 ? Vector<bool>() : detail::leaves_with_grad(*this);
}

SINTER_INLINE void SegmentedTracer::save_for_gradients(Segment& segment,
                                                       const std::vector<Tensor>& inputs) const {
  if (requires_grad().empty()) return;
  const Vector<bool> flags = detail::inputs_requiring_grad(*this, inputs, differentiated_);
  if (!contains(flags, true)) return;
  segment.has_grad = autodiff::gradient_functions().load()->varying_outputs(segment.graph, flags);
  for (const Value value :
       autodiff::gradient_functions().load()->saved_values(segment.graph, flags)) {
    segment.graph.outputs.push_back(value);
  }
}

// The callee for gradients, compiled with the options of the segment.
SINTER_INLINE void SegmentedTracer::add_callee(Segment& segment,
                                               const SegmentProgram& lowered) const {
  if (segment.has_grad.empty()) return;
  LowerOptions options = state_.lower_options({}, segment.device);
  if (lowered.is_for_one_call || lowered.is_interim) options.backend = Backend::eager;
  segment.callee = state_.callee(segment.graph, options);
}

// The value of a segment input outside of the trace.
SINTER_INLINE LazyValue SegmentedTracer::operand_at(std::uint32_t position) {
  const LazyRef& lazy = recorder().tape().values()[position];
  if (!detail::is_input(*lazy)) {
    if (lazy->evaluated()) return {lazy, 0};
    return detail::evaluated_operand(lazy->node.results[0], number_at(*lazy));
  }
  if (const Tensor* const real = real_of(*lazy)) return {real->lazy(), real->result()};
  if (lazy->evaluated()) return detail::evaluated_operand(lazy->node.results[0], lazy->elements[0]);
  return detail::evaluated_operand(lazy->node.results[0], random_input(*lazy));
}

// Saves what the backward graph needs. Called before the outputs get their elements.
SINTER_INLINE void SegmentedTracer::attach_grad_fn(const Segment& segment) {
  DifferentiatedSegment called{.values = {.callee = segment.callee, .sizes = report_.symbols},
                               .has_grad = segment.has_grad};
  for (const std::uint32_t position : segment.inputs) {
    called.values.operands.push_back(operand_at(position));
  }
  for (std::size_t i = 0; i < segment.graph.outputs.size(); ++i) {
    const TensorType& type = segment.graph.type(segment.graph.outputs[i]);
    called.values.types.push_back(type_with(type, report_.symbols));
    called.values.elements.push_back(memory_.owned[i]);
  }
  called.outputs = detail::values_of_outputs(segment, recorder().tape());
  differentiated_.push_back(std::move(called));
}

SINTER_INLINE void SegmentedTracer::run_last_segment(const guard::Leaves& after,
                                                     const LeafNames& names_after) {
  fix_sizes_once();
  const RecorderScope outside(nullptr);
  for (Lazy* const input : read_inputs_) input->elements.clear();
  read_inputs_.clear();
  start_created_state();
  keep_held_inputs(after);
  const Positions outputs = detail::escaping_values(recorder());
  Vector<LeafUpdate> updates = leaf_updates(after, names_after);
  if (!recorder().effects().empty()) updates.clear();  // a host function may throw
  if (!outputs.empty()) compute(outputs, updates);
  if (recorder().is_random() || memory_.draw) pause();
  call_host_functions();
  if (memory_.draw) memory_.draw->keep();
  is_finished_ = true;
  release();
  detail::attach_grad_fns(std::exchange(differentiated_, {}), where());
}

// Gives created state its initial value, as if it had existed before the call.
SINTER_INLINE void SegmentedTracer::start_created_state() {
  const Device device = detail::device_of(placeholders(), {});
  for (const CreatedState& state : recorder().created()) {
    Lazy& placeholder = *state.placeholder.lazy();
    if (placeholder.evaluated()) continue;
    placeholder.elements.push_back(
        elements_of(detail::evaluate_initial(state, recorder(), device)));
  }
}

// Notes placeholders that are still referenced, together with the values of their arguments.
SINTER_INLINE void SegmentedTracer::keep_held_inputs(const guard::Leaves& after) {
  const Vector<std::uint32_t> inner = recorder().tape().inner_references();
  for (std::size_t i = 0; i < placeholders().size(); ++i) {
    const LazyRef& placeholder = placeholders()[i].lazy();
    const bool is_unchanged = i < after.list.size() && after.list[i].tensor->lazy() == placeholder;
    const std::uint32_t known = inner[placeholder->position] + 2 + (is_unchanged ? 1 : 0);
    if (placeholder->references.load(MemoryOrder::acquire) <= known) continue;
    held_inputs_.emplace_back(placeholder, real_of(*placeholder)->lazy());
  }
}

SINTER_INLINE void SegmentedTracer::fix_sizes_once() {
  if (!std::exchange(sizes_fixed_, true)) recorder().fix_sizes();
}

SINTER_INLINE void SegmentedTracer::call_host_functions() {
  for (const Effect& effect : recorder().take_effects()) {
    std::vector<Tensor> operands;
    for (const Tensor& operand : effect.operands) operands.push_back(real_value(operand));
    (*effect.function)(operands);
  }
}

SINTER_INLINE void SegmentedTracer::replace_by_values(const guard::Leaves& tensors) const {
  for (const guard::Leaf& leaf : tensors.list) {
    const LazyRef& lazy = leaf.tensor->lazy();
    if (lazy->stands_for)
      *leaf.tensor = Tensor(reference_to(*target_of(lazy.get())), leaf.tensor->result());
  }
}

// Turns values that are still referenced into values outside of recordings, with sizes that are
// numbers: they have elements, or are computed from the values of the placeholders.
SINTER_INLINE void SegmentedTracer::release() {
  for (const auto& [placeholder, real] : std::exchange(held_inputs_, {})) {
    placeholder->stands_for = reference_to(*target_of(real.get()));
  }
  if (is_used_as_recording_) return;
  const Recorder& from = recorder();
  const auto number = [&from](Extent extent) { return Extent(from.hint(extent)); };
  for (const std::uint32_t position : recorder().tape().live()) {
    const LazyRef& value = recorder().tape().values()[position];
    if (value->recording == 0) continue;
    value->recording = 0;
    if (value->references.load(MemoryOrder::acquire) == 1) continue;
    if (is_finished_ && !value->evaluated() && !detail::is_input(*value)) continue;
    map_extents(*value, number);
    if (!detail::is_input(*value) || value->evaluated() || value->stands_for) continue;
    if (const Tensor* const real = real_of(*value)) {
      value->stands_for = reference_to(*target_of(real->lazy().get()));
    } else {
      release_own_input(*value);
    }
  }
}

// Gives an input that is random state or created state its value in this call.
SINTER_INLINE void SegmentedTracer::release_own_input(Lazy& input) {
  for (const CreatedState& state : recorder().created()) {
    if (state.placeholder.lazy().get() == &input) input.stands_for = state.initial.lazy();
  }
  if (input.stands_for || !recorder().is_random()) return;
  const Storage element = Storage::allocate(sizeof(std::int64_t));
  std::memcpy(element.data(), random_input(input), sizeof(std::int64_t));
  input.elements.push_back(element);
}

SINTER_INLINE SharedPtr<const Segment> SegmentedTracer::segment_for(
    const Positions& outputs, Span<const LeafUpdate> updates) {
  const Hash key = key_of(outputs, updates);
  const auto find = [&]() -> SharedPtr<const Segment> {
    auto known = state_.segments().find(key, recorder().tape());
    const bool must_compile = known != nullptr && known->runnable.program->is_interpreted() &&
                              on_miss_ == OnMiss::compile && state_.requires_compiled();
    return must_compile ? nullptr : known;
  };
  SharedPtr<const Segment> segment = find();
  if (segment == nullptr) {
    const Ticket ticket(state_.compile_tickets(), key);
    segment = find();  // another thread may have compiled it
    if (segment == nullptr) segment = make_segment(key, outputs, updates);
  }
  if (verifies()) require_same_graph(*segment, outputs, updates);
  if (segment->is_interim) runtime::keep_background_running();
  report_.interpreted = report_.interpreted || state_.is_eager(*segment->runnable.program);
  return segment;
}

// SINTER_VERIFY: throws unless the segment found by its key has the graph of this trace.
SINTER_INLINE void SegmentedTracer::require_same_graph(const Segment& segment,
                                                       const Positions& outputs,
                                                       Span<const LeafUpdate> updates) const {
  HashSet<const Lazy*> lifted;
  for (const NumberOnTape& number : segment.numbers) {
    if (number.is_input) lifted.insert(recorder().tape().values()[number.position].get());
  }
  std::vector<Tensor> inputs;
  Segment again;
  again.graph = extract(outputs, std::move(lifted), inputs, updates);
  save_for_gradients(again, inputs);
  const Graph& graph = again.graph;
  Positions positions;
  for (const Tensor& input : inputs) positions.push_back(input.lazy()->position);
  if (positions == segment.inputs && hash_with_symbols(graph) == hash_with_symbols(segment.graph)) {
    return;
  }
  throw InternalError(
      text("different graphs have the same segment key\n", segment.graph, "\n", graph));
}

SINTER_INLINE void SegmentedTracer::refuse() const {
  const Vector<guard::PlainValue> plain = name_source().plain();
  state_.refuse(state_.failure_of_traced_call(real(), structure_, names(), plain));
}

SINTER_INLINE void SegmentedTracer::compile_last_segment(const guard::Leaves& after,
                                                         const LeafNames& names_after) {
  fix_sizes_once();
  const RecorderScope outside(nullptr);
  start_created_state();
  const Positions outputs = detail::escaping_values(recorder());
  Vector<LeafUpdate> updates = leaf_updates(after, names_after);
  if (!recorder().effects().empty()) updates.clear();
  if (!outputs.empty()) report_.segments.push_back(segment_for(outputs, updates));
  report_.symbols = hints();
  recorder().take_effects();
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
