#pragma once

#include <sinter/base/container/vector.hpp>
#include <sinter/base/per_thread.hpp>
#include <sinter/trace/value/hash.hpp>
#include <sinter/trace/value/tape.hpp>

namespace sinter::inline SINTER_ABI::detail {

// Reuses the memory of the previous tape.
struct IdleLists {
  Vector<LazyRef> values{};
  Vector<std::uint32_t> live{};
};

// Releases a value at the end of a recording, after those that refer to it.
SINTER_INLINE void release(LazyRef& value) {
  if (value->references.load(MemoryOrder::acquire) != 1) {
    value->references.end_apart();
    return value.reset();
  }
  const auto drop = [&value](LazyRef& operand) {
    if (operand && operand->references.drop_within_recording(value->references)) operand.release();
  };
  for (LazyValue& operand : value->operands) drop(operand.lazy);
  drop(value->stands_for);
  destroy(value.release());
}

SINTER_INLINE Tape::Tape() {
  auto& idle = per_thread<detail::IdleLists>();
  values_.swap(idle.values);
  live_.swap(idle.live);
}

// In reverse, because values refer to earlier ones.
SINTER_INLINE Tape::~Tape() {
  for (std::size_t i = live_.size(); i-- > 0;) detail::release(values_[live_[i]]);
  values_.clear(), live_.clear();
  auto& idle = per_thread<detail::IdleLists>();
  values_.swap(idle.values);
  live_.swap(idle.live);
}

SINTER_INLINE void Tape::note_node(const Lazy& lazy) {
  const bool is_number = is_floating_number(lazy.node);
  if (is_number) numbers_.push_back(lazy.position);
  add_value(hasher_, lazy, is_number, [](const Lazy& operand) { return operand.position; });
}

SINTER_INLINE void Tape::add(LazyRef lazy) {
  lazy->position = static_cast<std::uint32_t>(values_.size());
  note_node(*lazy);
  values_.push_back(std::move(lazy));
  live_.push_back(static_cast<std::uint32_t>(values_.size()) - 1);
}

SINTER_INLINE void Tape::drop_since(const Mark& mark) {
  for (; live_.size() > mark.live; live_.pop_back()) detail::release(values_[live_.back()]);
  values_.resize(mark.values);
  numbers_.resize(mark.numbers);
  hasher_ = mark.hasher;
}

// In reverse, because values refer to earlier ones. Numbers are kept: later runs are compared with
// them.
SINTER_INLINE void Tape::drop_unused() {
  for (std::size_t i = live_.size(); i-- > 0;) {
    LazyRef& value = values_[live_[i]];
    const bool is_unused = value->references.load(MemoryOrder::acquire) == 1;
    if (is_unused && !detail::is_floating_number(value->node)) detail::release(value);
  }
  erase_if(live_, [this](std::uint32_t position) { return !values_[position]; });
}

SINTER_INLINE Vector<std::uint32_t> Tape::inner_references() const {
  Vector<std::uint32_t> result(values_.size());
  const auto count = [&](const LazyRef& lazy) {
    const bool is_inner =
        lazy && lazy->position < values_.size() && values_[lazy->position].get() == lazy.get();
    if (is_inner) ++result[lazy->position];
  };
  for (const std::uint32_t position : live_) {
    for (const LazyValue& operand : values_[position]->operands) count(operand.lazy);
    count(values_[position]->stands_for);
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail
