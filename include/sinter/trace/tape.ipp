#pragma once

#include <type_traits>  // std::is_same_v

#include <sinter/base/per_thread.hpp>
#include <sinter/graph/hash.hpp>
#include <sinter/trace/tape.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE bool is_floating_number(const Node& node) {
  return node.op == Op::constant && is_floating(node.results[0].dtype);
}

// The types of these follow from their operands and attributes.
constexpr bool has_inferred_shape(OpKind kind) {
  return kind == OpKind::elementwise || kind == OpKind::reduction || kind == OpKind::contraction;
}

inline std::uint64_t word_of_address(const void* address) {
  return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(address));
}

SINTER_INLINE std::uint64_t word_of_head(const Lazy& lazy) {
  const Node& node = lazy.node;
  return static_cast<std::uint64_t>(node.op) |
         static_cast<std::uint64_t>(node.results[0].dtype) << 8 |
         static_cast<std::uint64_t>(lazy.operands.size()) << 16;
}

// The memory of a tape that ended, for the next one.
struct IdleLists {
  std::vector<LazyRef> values{};
  std::vector<std::uint32_t> live{};
};

// Lets go of a value of a recording that ends, after those that refer to it.
SINTER_INLINE void release(LazyRef& value) {
  if (value->references.load(std::memory_order_acquire) != 1) {
    value->references.end_apart();
    return value.reset();
  }
  const auto drop = [&value](LazyRef& operand) {
    if (operand && operand->references.drop_beside(value->references)) operand.release();
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

// From the last to the first, because each refers to some before it.
SINTER_INLINE Tape::~Tape() {
  for (auto position = live_.rbegin(); position != live_.rend(); ++position) {
    detail::release(values_[*position]);
  }
  values_.clear(), live_.clear();
  auto& idle = per_thread<detail::IdleLists>();
  values_.swap(idle.values);
  live_.swap(idle.live);
}

SINTER_INLINE void Tape::note_shape(const Shape& shape) {
  hasher_.add(static_cast<std::uint64_t>(shape.size()));
  for (const Extent& extent : shape) hasher_.add(extent.bits());
}

SINTER_INLINE void Tape::note_node(const Lazy& lazy) {
  const Node& node = lazy.node;
  hasher_.add(detail::word_of_head(lazy));
  hasher_.add(word_of(node.where));
  for (const LazyValue& operand : lazy.operands) {
    hasher_.add(operand.lazy->position | static_cast<std::uint64_t>(operand.result) << 32);
  }
  if (lazy.is_detached) hasher_.add(lazy.stands_for->position);
  if (lazy.expression != nullptr) {
    hasher_.add(lazy.expression->id);
    return;
  }
  if (!detail::has_inferred_shape(info(node.op).kind)) note_shape(node.results[0].shape);
  const bool is_number = detail::is_floating_number(node);
  if (is_number) numbers_.push_back(lazy.position);
  for (const Attribute& attribute : node.attributes) {
    std::visit(
        [&]<class T>(const T& value) {
          if constexpr (std::is_same_v<T, Constant>) {
            if (!is_number) hasher_.add(value.bits);
          } else if constexpr (std::is_same_v<T, Shape>) {
            note_shape(value);
          } else if constexpr (std::is_same_v<T, std::string>) {
            hasher_.add(std::string_view(value));
          } else if constexpr (std::is_same_v<T, std::shared_ptr<const Callee>>) {
            throw InternalError("a recording calls a compiled function");
          } else {
            hasher_.add(value.size());
            for (const std::int64_t number : value) {
              hasher_.add(static_cast<std::uint64_t>(number));
            }
          }
        },
        attribute.value);
  }
  for (const Graph& body : node.bodies) hasher_.add(hash_with_symbols(body));
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

// From the last to the first, because each refers to some before it. Numbers stay: later runs are
// compared by them.
SINTER_INLINE void Tape::drop_unused() {
  for (auto position = live_.rbegin(); position != live_.rend(); ++position) {
    LazyRef& value = values_[*position];
    const bool is_unused = value->references.load(std::memory_order_acquire) == 1;
    if (is_unused && !detail::is_floating_number(value->node)) detail::release(value);
  }
  std::erase_if(live_, [this](std::uint32_t position) { return !values_[position]; });
}

SINTER_INLINE std::vector<std::uint32_t> Tape::inner_references() const {
  std::vector<std::uint32_t> result(values_.size());
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

SINTER_INLINE std::uint64_t bits_of_number(const Lazy& lazy) {
  return attribute<Constant>(lazy.node, "value").bits;
}

}  // namespace sinter::inline SINTER_ABI::detail
