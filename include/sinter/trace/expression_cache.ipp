#pragma once

#include <sinter/base/hash.hpp>
#include <sinter/trace/expression_cache.hpp>

namespace sinter::inline SINTER_ABI {

SINTER_INLINE void ExpressionKey::add(const Tensor& operand) {
  add(static_cast<const void*>(operand.lazy().get()));
  words_.push_back(operand.result());
  operands_.push_back(operand);
}

SINTER_INLINE std::size_t ExpressionKey::hash() const {
  Hasher hasher;
  for (const std::uint64_t word : words_) hasher.add(word);
  return static_cast<std::size_t>(hasher.result().low);
}

SINTER_INLINE const Tensor* ExpressionCache::find(const ExpressionKey& key) const {
  const auto entry = recorded_.find(key);
  return entry == recorded_.end() ? nullptr : &entry->second;
}

SINTER_INLINE void ExpressionCache::insert(ExpressionKey key, Tensor recorded) {
  recorded_.insert_or_assign(std::move(key), std::move(recorded));
}

}  // namespace sinter::inline SINTER_ABI
