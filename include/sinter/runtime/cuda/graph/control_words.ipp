#pragma once

#include <array>    // std::array
#include <utility>  // std::exchange

#include <sinter/runtime/cuda/graph/control_words.hpp>
#include <sinter/runtime/cuda/launch.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

inline long at(long first, std::size_t word) { return first + static_cast<long>(word); }

}  // namespace detail

SINTER_INLINE ControlWords::ControlWords(const schedule::Plan& plan, const CudaFaults& faults) {
  add_words(1);  // stays 0: the fault address of launches without checks
  faults_ = add(0, Content::From::faults);
  fault_count_ = static_cast<long>(faults.bytes() / LoopTable::fault_bytes);
  layout_.plan = &plan;
  layout_.words.assign(plan.buffers.size(), -1);
  for (const schedule::Launch& launch : plan.launches) {
    if (!is_control(plan, launch)) continue;
    for (const std::int32_t buffer : launch.buffers) {
      long& word = layout_.words[static_cast<std::size_t>(buffer)];
      if (word < 0) word = add_words(1);
    }
  }
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    if (!is_control(plan, plan.launches[i])) continue;
    if (faults.has(i)) fault_bytes_ = faults.offset(i);
    layout_.controls.push_back(control(layout_, plan.launches[i], arena_bytes_));
  }
}

SINTER_INLINE long ControlWords::add_words(std::size_t count) {
  const std::size_t first = values_.size();
  values_.resize(first + count);
  return static_cast<long>(first);
}

SINTER_INLINE long ControlWords::add(const Extent& value, Content::From from) {
  const long word = add_words(1);
  contents_.push_back({word, value, from});
  return word;
}

SINTER_INLINE void ControlWords::put(long word, const Extent& value) {
  contents_.push_back({word, value, Content::From::zero});
}

SINTER_INLINE long ControlWords::add_fault() {
  const auto offset = static_cast<std::int64_t>(fault_bytes_);
  fault_bytes_ += LoopTable::fault_bytes;
  return add(offset, Content::From::faults);
}

// `inputs` and `outputs` are the words that hold the addresses of these buffers.
SINTER_INLINE BodyLayout ControlWords::body(const schedule::Plan& plan, Span<const long> inputs,
                                            Span<const long> outputs, Extent& arena) {
  BodyLayout result{.plan = &plan};
  const Extent first = arena;
  arena = arena + detail::rounded_up(plan.arena_bytes);
  for (const schedule::Buffer& buffer : plan.buffers) {
    const auto position = static_cast<std::size_t>(buffer.position);
    result.words.push_back(buffer.home == schedule::Home::input ? inputs[position]
                           : buffer.home == schedule::Home::output
                               ? outputs[position]
                               : add(first + buffer.offset, Content::From::arena));
  }
  for (const schedule::Launch& launch : plan.launches) {
    if (launch.control >= 0) {
      result.controls.push_back(control(result, launch, arena));
      continue;
    }
    std::vector<long> arguments;
    for (const std::int32_t buffer : launch.buffers) {
      arguments.push_back(result.words[static_cast<std::size_t>(buffer)]);
    }
    for (const Extent& size : launch.sizes) arguments.push_back(add(size));
    arguments.push_back(launch.checks.empty() ? 0 : add_fault());
    result.arguments.push_back(std::move(arguments));
  }
  return result;
}

SINTER_INLINE ControlLayout ControlWords::control(const BodyLayout& around,
                                                  const schedule::Launch& launch, Extent& arena) {
  const auto number = static_cast<std::size_t>(launch.control);
  ControlLayout layout;
  layout.control = &around.plan->controls[number];
  std::vector<long> words;
  for (const std::int32_t buffer : launch.buffers) {
    words.push_back(around.words[static_cast<std::size_t>(buffer)]);
  }
  // Controls name bodies of the plan that contains them.
  for (const std::int32_t one : layout.control->bodies) {
    layout.bodies.push_back({.plan = &around.plan->bodies[static_cast<std::size_t>(one)]});
  }
  layout.faults = faults_;
  layout.fault_count = fault_count_;
  if (layout.control->op == Op::while_loop) {
    lay_out_while(layout, words, arena);
  } else if (layout.control->op == Op::scan) {
    lay_out_scan(layout, words, arena);
  } else {
    lay_out_branch(layout, words, arena);
  }
  return layout;
}

SINTER_INLINE void ControlWords::lay_out_branch(ControlLayout& layout, Span<const long> words,
                                                Extent& arena) {
  const auto inputs = static_cast<std::size_t>(layout.control->inputs);
  const auto results = static_cast<std::size_t>(layout.control->results);
  layout.condition = words[0];
  for (BodyLayout& one : layout.bodies) {
    one = body(*one.plan, words.subspan(1, inputs - 1), words.subspan(inputs, results), arena);
  }
}

// Adds a double-buffered state of a loop: steps read one address and write the other, alternating.
SINTER_INLINE ControlWords::State ControlWords::add_state(const ControlLayout& layout,
                                                          Span<const long> words,
                                                          std::size_t number) {
  const schedule::Control& control = *layout.control;
  const auto results = static_cast<std::size_t>(control.inputs) + number;
  const long at = detail::at(layout.table, LoopTable::head_words + number * LoopTable::state_words);
  const State state{add_words(1), add_words(1)};
  put(detail::at(at, LoopTable::source), words[number]);
  put(detail::at(at, LoopTable::result), words[results]);
  put(detail::at(at, LoopTable::other), words[results + static_cast<std::size_t>(control.results)]);
  put(detail::at(at, LoopTable::current), state.current);
  put(detail::at(at, LoopTable::next), state.next);
  put(detail::at(at, LoopTable::state_bytes), add(control.bytes[number]));
  return state;
}

SINTER_INLINE void ControlWords::lay_out_while(ControlLayout& layout, Span<const long> words,
                                               Extent& arena) {
  const schedule::Control& control = *layout.control;
  const auto states = static_cast<std::size_t>(control.states);
  layout.table = add_words(LoopTable::head_words + states * LoopTable::state_words);
  put(detail::at(layout.table, LoopTable::states), control.states);
  put(detail::at(layout.table, LoopTable::length), static_cast<std::int64_t>(LoopTable::no_length));
  std::vector<long> given(words.begin(), words.begin() + control.inputs), next;
  for (std::size_t i = 0; i < states; ++i) {
    const State state = add_state(layout, words, i);
    given[i] = state.current;
    next.push_back(state.next);
  }
  const long holds = add_words(1);
  layout.condition = add(8 * holds, Content::From::words);
  layout.bodies[0] = body(*layout.bodies[0].plan, given, {&layout.condition, 1}, arena);
  layout.bodies[1] = body(*layout.bodies[1].plan, given, next, arena);
}

// Adds a sequence; returns the word that holds the address of the current step's slice. `first`
// holds the address of slice 0.
SINTER_INLINE long ControlWords::add_sequence(const ControlLayout& layout, std::size_t number,
                                              long first, const Extent& bytes) {
  const auto states = static_cast<std::size_t>(layout.control->states);
  const long at = detail::at(layout.table, LoopTable::head_words + states * LoopTable::state_words +
                                               number * LoopTable::sequence_words);
  const long position = add_words(1);
  put(detail::at(at, LoopTable::first), first);
  put(detail::at(at, LoopTable::step_bytes), add(bytes));
  put(detail::at(at, LoopTable::position), position);
  return position;
}

SINTER_INLINE void ControlWords::lay_out_scan(ControlLayout& layout, Span<const long> words,
                                              Extent& arena) {
  const schedule::Control& control = *layout.control;
  const auto inputs = static_cast<std::size_t>(control.inputs);
  const auto states = static_cast<std::size_t>(control.states);
  const auto xs = static_cast<std::size_t>(control.xs);
  const auto results = static_cast<std::size_t>(control.results);
  const std::size_t sequences = xs + results - states;
  layout.table = add_words(LoopTable::head_words + states * LoopTable::state_words +
                           sequences * LoopTable::sequence_words);
  put(detail::at(layout.table, LoopTable::states), control.states);
  put(detail::at(layout.table, LoopTable::sequences), static_cast<std::int64_t>(sequences));
  put(detail::at(layout.table, LoopTable::length), add(control.length));
  put(detail::at(layout.table, LoopTable::counter), add_words(1));
  put(detail::at(layout.table, LoopTable::reverse), control.reverse ? 1 : 0);
  std::vector<long> given(words.begin(), words.begin() + control.inputs), written;
  for (std::size_t i = 0; i < states; ++i) {
    const State state = add_state(layout, words, i);
    given[i] = state.current;
    written.push_back(state.next);
  }
  for (std::size_t i = 0; i < sequences; ++i) {
    const bool is_read = i < xs;
    const long first = words[is_read ? states + i : inputs + states + i - xs];
    const long position = add_sequence(layout, i, first, control.bytes[states + i]);
    if (is_read) given[states + i] = position;
    if (!is_read) written.push_back(position);
  }
  layout.bodies[0] = body(*layout.bodies[0].plan, given, written, arena);
}

SINTER_INLINE std::int64_t ControlWords::arena_bytes(Span<const std::int64_t> symbols) const {
  return evaluate(arena_bytes_, symbols);
}

SINTER_INLINE void ControlWords::set(long word, std::uint64_t value) {
  std::uint64_t& old = values_[static_cast<std::size_t>(word)];
  if (std::exchange(old, value) != value) changed_ = true;
}

SINTER_INLINE void ControlWords::set_sizes(Span<const std::int64_t> symbols) {
  for (Content& one : contents_) {
    one.evaluated = static_cast<std::uint64_t>(evaluate(one.value, symbols));
  }
}

SINTER_INLINE void ControlWords::set_addresses(std::uint64_t words, std::uint64_t arena,
                                               std::uint64_t faults) {
  const std::array<std::uint64_t, 4> from{0, words, arena, faults};
  for (const Content& one : contents_) {
    set(one.word, from[static_cast<std::size_t>(one.from)] + one.evaluated);
  }
}

SINTER_INLINE void ControlWords::set_buffer(std::size_t buffer, std::uint64_t address) {
  if (layout_.words[buffer] >= 0) set(layout_.words[buffer], address);
}

SINTER_INLINE bool ControlWords::take_changed() { return std::exchange(changed_, false); }

}  // namespace sinter::inline SINTER_ABI::detail::runtime
