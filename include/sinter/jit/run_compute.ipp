#pragma once

#include <sinter/graph/hash.hpp>
#include <sinter/jit/lifted_numbers.hpp>
#include <sinter/jit/lower.hpp>
#include <sinter/jit/run.hpp>
#include <sinter/jit/state.hpp>
#include <sinter/trace/evaluate.hpp>
#include <sinter/trace/extract.hpp>
#include <sinter/trace/value_hash.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

SINTER_INLINE bool is_leaf_of(const Lazy& input, const std::vector<Tensor>& placeholders) {
  return input.position < placeholders.size() &&
         placeholders[input.position].lazy().get() == &input;
}

}  // namespace detail

SINTER_INLINE std::vector<Run::NewValue> Run::new_values(const guard::Leaves& after,
                                                         const LeafNames& names_after) const {
  std::vector<NewValue> result;
  if (!wanted().empty()) return result;  // what gradients read is not updated in place
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

// Sizes of this call are numbers in the graphs before the end; so they are part of the key.
SINTER_INLINE Hash Run::key_of(const Positions& outputs, std::span<const NewValue> updates) const {
  Hasher hasher;
  hasher.add(recorder().tape().hash());
  for (const std::uint32_t position : outputs) hasher.add(position);
  hasher.add(~std::uint64_t{0});
  if (const Device device = device_of(outputs); device.is_cuda()) hasher.add(to_string(device));
  if (detail::allows_tf32(real())) hasher.add("tf32");
  for (const NewValue& update : updates) {
    hasher.add(static_cast<std::uint64_t>(update.placeholder->position) << 32 | update.position);
  }
  for (const bool flag : wanted()) hasher.add(flag ? "wanted" : "fixed");
  for (const SizeSymbol& symbol : recorder().symbols()) {
    hasher.add(symbol.value.bits());
    if (symbol.freedom == Freedom::fixed) hasher.add(static_cast<std::uint64_t>(symbol.hint));
  }
  return hasher.result();
}

SINTER_INLINE std::vector<std::int64_t> Run::hints() const {
  std::vector<std::int64_t> result;
  for (const SizeSymbol& symbol : recorder().symbols()) result.push_back(symbol.hint);
  return result;
}

SINTER_INLINE void Run::compute(const Positions& outputs, std::span<const NewValue> updates) {
  std::shared_ptr<const Segment> segment = segment_for(outputs, updates);
  memory_.inputs.clear();
  for (const std::uint32_t position : segment->inputs) {
    memory_.inputs.push_back(const_cast<void*>(input_at(*segment, position)));
  }
  memory_.kept_from.clear();
  for (const std::int32_t input : segment->runnable.program->kept_inputs()) {
    memory_.kept_from.push_back(storage_at(segment->inputs[static_cast<std::size_t>(input)]));
  }
  report_.symbols = hints();
  memory_.where = state_.where();
  run(segment->runnable, real().list, report_.symbols, memory_);
  report_.allocations += memory_.allocations;
  if (segment->callee != nullptr) remember_call(*segment);
  if (memory_.moved >= 0) report_.moved = names()[static_cast<std::size_t>(memory_.moved)];
  attach(*segment);
  report_.segments.push_back(std::move(segment));
}

SINTER_INLINE Graph Run::extract(const Positions& outputs, std::unordered_set<const Lazy*> numbers,
                                 std::vector<Tensor>& inputs,
                                 std::span<const NewValue> updates) const {
  Graph graph;
  graph.tf32 = detail::allows_tf32(real());
  Extractor extractor(graph, &recorder(),
                      wanted().empty() ? Detached::as_values : Detached::as_nodes);
  if (!sizes_ended_) extractor.fix_sizes();
  extractor.lift(std::move(numbers));
  for (const std::uint32_t position : outputs) {
    Lazy& lazy = *recorder().tape().values()[position];
    for (std::uint32_t result = 0; result < lazy.node.results.size(); ++result) {
      graph.outputs.push_back(extractor.add(Tensor(reference_to(lazy), result)));
    }
  }
  for (const NewValue& update : updates) {  // whose memory may be taken, read or not
    extractor.add_input(Tensor(reference_to(*const_cast<Lazy*>(update.placeholder))));
  }
  inputs = extractor.inputs();
  return graph;
}

// Where an output is on a GPU, there.
SINTER_INLINE Device Run::device_of(const Positions& outputs) const {
  for (const std::uint32_t position : outputs) {
    const Device device = recorder().tape().values()[position]->device();
    if (device.is_cuda()) return device;
  }
  return cpu();
}

SINTER_INLINE Run::Numbers Run::numbers_of(const Positions& outputs) const {
  const Tape& tape = recorder().tape();
  std::unordered_set<const Lazy*> all;
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

SINTER_INLINE std::shared_ptr<const Segment> Run::make_segment(const Hash& key,
                                                               const Positions& outputs,
                                                               std::span<const NewValue> updates) {
  auto segment = std::make_shared<Segment>();
  segment->outputs = outputs;
  const Numbers numbers = numbers_of(outputs);
  const std::vector<bool> are_inputs =
      state_.segments().choose_inputs(numbers.kind, numbers.bits, true);
  std::unordered_set<const Lazy*> lifted;
  for (std::size_t i = 0; i < numbers.values.size(); ++i) {
    const Lazy& number = *numbers.values[i];
    segment->numbers.push_back({number.position, numbers.bits[i], are_inputs[i]});
    if (are_inputs[i]) lifted.insert(&number);
  }
  std::vector<Tensor> inputs;
  segment->graph = extract(outputs, std::move(lifted), inputs, updates);
  for (const Tensor& input : inputs) segment->inputs.push_back(input.lazy()->position);
  const std::vector<schedule::Update> pairs = updates_of(*segment, inputs, updates);
  segment->device = device_of(outputs);
  save_for_gradients(*segment, inputs);
  const Lowering lowering = state_.lower(segment->graph, pairs, segment->device, on_miss_, asker_);
  if (lowering.program == nullptr) refuse();
  segment->runnable = runnable_of(segment->graph, pairs, lowering.program, lowering.symbols);
  for (const schedule::Update& pair : pairs) {  // by the leaf, not by the input
    const Tensor& input = inputs[static_cast<std::size_t>(pair.input)];
    segment->runnable.outputs[static_cast<std::size_t>(pair.output)].updates =
        detail::is_leaf_of(*input.lazy(), placeholders())
            ? static_cast<std::int32_t>(input.lazy()->position)
            : -1;
  }
  add_callee(*segment, lowering);
  report_.compiled = report_.compiled || lowering.is_new;
  report_.interpreted = report_.interpreted || lowering.is_passing;
  segment->updates = pairs;
  segment->is_interim = lowering.is_interim;
  segment->is_kept = !lowering.is_passing;
  if (!lowering.is_passing) state_.segments().add(key, segment);
  if (lowering.is_interim) state_.compile_later(key, segment);
  return segment;
}

// Pairs of input and output of the graph that may share memory.
SINTER_INLINE std::vector<schedule::Update> Run::updates_of(
    const Segment& segment, const std::vector<Tensor>& inputs,
    std::span<const NewValue> updates) const {
  std::vector<schedule::Update> result;
  for (const NewValue& update : updates) {
    const auto input = std::find_if(inputs.begin(), inputs.end(), [&](const Tensor& candidate) {
      return candidate.lazy().get() == update.placeholder;
    });
    std::size_t output = 0;
    for (const std::uint32_t position : segment.outputs) {
      if (position == update.position) break;
      output += recorder().tape().values()[position]->node.results.size();
    }
    if (input == inputs.end() || output == segment.graph.outputs.size()) continue;
    const schedule::Update pair{static_cast<std::int32_t>(input - inputs.begin()),
                                static_cast<std::int32_t>(output)};
    const Graph& graph = segment.graph;
    const TensorType& before = graph[graph.inputs[static_cast<std::size_t>(pair.input)]].results[0];
    const bool is_taken = std::any_of(result.begin(), result.end(), [&](const auto& other) {
      return other.output == pair.output;
    });
    if (!is_taken && same(before, graph.type(graph.outputs[output]))) result.push_back(pair);
  }
  return result;
}

SINTER_INLINE const Tensor* Run::real_of(const Lazy& input) const {
  if (detail::is_leaf_of(input, placeholders())) return real().list[input.position].tensor;
  return recorder().source(input);
}

SINTER_INLINE const void* Run::number_at(const Lazy& number) {
  numbers_.push_back(element_of(attribute<Constant>(number.node, "value")));
  return &numbers_.back();
}

SINTER_INLINE const void* Run::input_at(const Segment& segment, std::uint32_t position) {
  const Lazy& lazy = *recorder().tape().values()[position];
  if (!detail::is_input(lazy) && !lazy.evaluated()) return number_at(lazy);
  const Tensor* const real = lazy.evaluated() ? nullptr : real_of(lazy);
  if (!lazy.evaluated() && real == nullptr) return random_input(lazy);
  const Storage& elements = real == nullptr ? lazy.elements[0] : elements_of(*real, where());
  detail::require_readable(elements, lazy, segment.device, recorder(), where());
  return elements.data();
}

// Of an input; null for numbers, and for the state of random numbers.
SINTER_INLINE const Storage* Run::storage_at(std::uint32_t position) const {
  const Lazy& lazy = *recorder().tape().values()[position];
  if (lazy.evaluated()) return &lazy.elements[0];
  const Tensor* const real = detail::is_input(lazy) ? real_of(lazy) : nullptr;
  return real == nullptr ? nullptr : &elements_of(*real, where());
}

SINTER_INLINE const void* Run::random_input(const Lazy& input) {
  const bool is_seed = &input == recorder().random_seed().lazy().get();
  memory_.random_state[0] = draw().state().seed;
  memory_.random_state[1] = draw().state().offset;
  return &memory_.random_state[is_seed ? 0 : 1];
}

// The values that were computed have elements from now on.
SINTER_INLINE void Run::attach(const Segment& segment) {
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

SINTER_INLINE Tensor Run::real_value(const Tensor& value) {
  Lazy& target = *target_of(value.lazy().get());
  if (const Tensor* const real = real_of(target)) return *real;
  TensorType type = target.node.results[value.result()];
  Shape shape;
  for (const Extent& extent : type.shape) shape.push_back(recorder().hint(extent));
  return Tensor(make_evaluated({type.dtype, shape}, target.elements[value.result()]));
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
