#pragma once

#include <type_traits>  // std::is_same_v

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/graph/callee.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/graph/hash.hpp>
#include <sinter/trace/value/hash.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE bool is_floating_number(const Node& node) {
  return node.op == Op::constant && is_floating(node.results[0].dtype);
}

SINTER_INLINE std::uint64_t bits_of_number(const Lazy& lazy) {
  return attribute<Constant>(lazy.node, "value").bits;
}

// The types of these follow from their operands and attributes.
constexpr bool has_inferred_shape(OpKind kind) {
  return kind == OpKind::elementwise || kind == OpKind::reduction || kind == OpKind::contraction;
}

SINTER_INLINE std::uint64_t word_of_head(const Lazy& lazy) {
  const Node& node = lazy.node;
  return static_cast<std::uint64_t>(node.op) |
         static_cast<std::uint64_t>(node.results[0].dtype) << 8 |
         static_cast<std::uint64_t>(lazy.operands.size()) << 16;
}

SINTER_INLINE void add_shape(Hasher& hasher, const Shape& shape) {
  hasher.add(static_cast<std::uint64_t>(shape.size()));
  for (const Extent& extent : shape) hasher.add(extent.bits());
}

SINTER_INLINE void add_attribute(Hasher& hasher, const Attribute& attribute, bool is_number) {
  attribute.value.visit([&]<class T>(const T& value) {
    if constexpr (std::is_same_v<T, Constant>) {
      if (!is_number) hasher.add(value.bits);
    } else if constexpr (std::is_same_v<T, Shape>) {
      add_shape(hasher, value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      hasher.add(std::string_view(value));
    } else if constexpr (std::is_same_v<T, SharedPtr<const Callee>>) {
      hasher.add(value->id());
    } else if constexpr (std::is_same_v<T, SharedPtr<const CustomCode>>) {
      hasher.add(value->identity);
    } else {
      hasher.add(value.size());
      for (const std::int64_t number : value) hasher.add(static_cast<std::uint64_t>(number));
    }
  });
}

SINTER_INLINE void add_value(Hasher& hasher, const Lazy& lazy, bool is_number,
                             FunctionRef<std::uint32_t(Lazy&)> position_of) {
  const Node& node = lazy.node;
  hasher.add(word_of_head(lazy));
  hasher.add(word_of(node.where));
  for (const LazyValue& operand : lazy.operands) {
    const std::uint64_t position = position_of(*operand.lazy);
    hasher.add(position | static_cast<std::uint64_t>(operand.result) << 32);
  }
  if (lazy.is_detached) hasher.add(position_of(*lazy.stands_for));
  if (lazy.expression != nullptr) {
    hasher.add(lazy.expression->id);
    return;
  }
  if (!has_inferred_shape(info(node.op).kind)) add_shape(hasher, node.results[0].shape);
  for (const Attribute& attribute : node.attributes) add_attribute(hasher, attribute, is_number);
  for (const Graph& body : node.bodies) hasher.add(hash_with_symbols(body));
}

}  // namespace sinter::inline SINTER_ABI::detail
