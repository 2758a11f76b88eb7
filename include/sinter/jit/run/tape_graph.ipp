#pragma once

#include <algorithm>  // std::unique
#include <utility>    // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/hash.hpp>
#include <sinter/jit/run/tape_graph.hpp>
#include <sinter/trace/core/extract.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

SINTER_INLINE bool is_input(const Lazy& lazy) { return lazy.node.op == Op::input; }

SINTER_INLINE bool is_leaf_of(const Lazy& input, const std::vector<Tensor>& placeholders) {
  return input.position < placeholders.size() &&
         placeholders[input.position].lazy().get() == &input;
}

SINTER_INLINE const Tensor* real_of(const Tracer& tracer, const Lazy& input) {
  if (is_leaf_of(input, tracer.placeholders())) return tracer.real().list[input.position].tensor;
  return tracer.recorder().source(input);
}

SINTER_INLINE Positions escaping_values(const Recorder& recorder) {
  Positions result;
  const Tape& tape = recorder.tape();
  Vector<std::uint32_t> inner = tape.inner_references();
  for (const CreatedState& state : recorder.created()) ++inner[state.initial.lazy()->position];
  for (const std::uint32_t i : tape.live()) {
    const Lazy& lazy = *tape.values()[i];
    if (is_input(lazy) || lazy.evaluated()) continue;
    const std::uint32_t references = lazy.references.load(MemoryOrder::acquire);
    if (references > inner[i] + 1) result.push_back(i);  // 1: the tape
  }
  return result;
}

SINTER_INLINE Positions with_escaping_operands(const Recorder& recorder, Positions wanted) {
  const Vector<std::uint32_t> inner = recorder.tape().inner_references();
  Vector<bool> seen(inner.size());
  for (Positions path = wanted; !path.empty();) {
    const std::uint32_t position = path.back();
    path.pop_back();
    if (seen[position]) continue;
    seen[position] = true;
    const Lazy& lazy = *recorder.tape().values()[position];
    if (lazy.references.load(MemoryOrder::acquire) > inner[position] + 1) {
      wanted.push_back(position);
    }
    for (const LazyValue& operand : lazy.operands) {
      const Lazy& target = *target_of(operand.lazy.get());
      const bool is_number = target.node.op == Op::constant;
      if (!is_input(target) && !target.evaluated() && !is_number) {
        path.push_back(target.position);
      }
    }
  }
  stable_sort(wanted);
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  return wanted;
}

SINTER_INLINE Device device_of(const Tape& tape, const Positions& outputs) {
  for (const std::uint32_t position : outputs) {
    const Device device = tape.values()[position]->device();
    if (device.is_cuda()) return device;
  }
  return cpu();
}

SINTER_INLINE Graph extract(const Tracer& tracer, const Extraction& form, const Positions& outputs,
                            HashSet<const Lazy*> numbers, std::vector<Tensor>& inputs,
                            Span<const LeafUpdate> updates) {
  Graph graph;
  graph.tf32 = allows_tf32(tracer.real());
  Extractor extractor(graph, &tracer.recorder(), form.detached);
  if (form.fixes_sizes) extractor.fix_sizes();
  extractor.lift(std::move(numbers));
  for (const std::uint32_t position : outputs) {
    Lazy& lazy = *tracer.recorder().tape().values()[position];
    for (std::uint32_t result = 0; result < lazy.node.results.size(); ++result) {
      graph.outputs.push_back(extractor.add(Tensor(reference_to(lazy), result)));
    }
  }
  for (const LeafUpdate& update : updates) {  // updated in place, whether read or not
    extractor.add_input(Tensor(reference_to(*const_cast<Lazy*>(update.placeholder))));
  }
  inputs = extractor.inputs();
  return graph;
}

SINTER_INLINE Hash key_of(const Tracer& tracer, const Positions& outputs,
                          Span<const LeafUpdate> updates, const Vector<bool>& requires_grad) {
  const Recorder& recorder = tracer.recorder();
  Hasher hasher;
  hasher.add(recorder.tape().hash());
  for (const std::uint32_t position : outputs) hasher.add(position);
  hasher.add(~std::uint64_t{0});
  const Device device = device_of(recorder.tape(), outputs);
  if (device.is_cuda()) hasher.add(to_string(device));
  if (allows_tf32(tracer.real())) hasher.add("tf32");
  for (const LeafUpdate& update : updates) {
    hasher.add(static_cast<std::uint64_t>(update.placeholder->position) << 32 | update.position);
  }
  for (const bool flag : requires_grad) hasher.add(flag ? "wanted" : "fixed");
  for (const SizeSymbol& symbol : recorder.symbols()) {
    hasher.add(symbol.value.bits());
    if (symbol.freedom == Freedom::fixed) hasher.add(static_cast<std::uint64_t>(symbol.hint));
  }
  return hasher.result();
}

SINTER_INLINE Vector<schedule::Update> updates_of(const Tape& tape, const Segment& segment,
                                                  const std::vector<Tensor>& inputs,
                                                  Span<const LeafUpdate> updates) {
  Vector<schedule::Update> result;
  for (const LeafUpdate& update : updates) {
    const auto input = find_if(inputs, [&](const Tensor& candidate) {
      return candidate.lazy().get() == update.placeholder;
    });
    std::size_t output = 0;
    for (const std::uint32_t position : segment.outputs) {
      if (position == update.position) break;
      output += tape.values()[position]->node.results.size();
    }
    if (input == inputs.end() || output == segment.graph.outputs.size()) continue;
    const schedule::Update pair{static_cast<std::int32_t>(input - inputs.begin()),
                                static_cast<std::int32_t>(output)};
    const Graph& graph = segment.graph;
    const TensorType& before = graph[graph.inputs[static_cast<std::size_t>(pair.input)]].results[0];
    const bool is_taken =
        any_of(result, [&](const auto& other) { return other.output == pair.output; });
    if (!is_taken && same(before, graph.type(graph.outputs[output]))) result.push_back(pair);
  }
  return result;
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::jit
