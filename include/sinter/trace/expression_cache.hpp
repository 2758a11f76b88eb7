#pragma once
// Expressions of typed tensors that a recording has met: each is recorded once.

#include <cstdint>        // std::uint64_t
#include <unordered_map>  // std::unordered_map
#include <vector>         // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// What an expression is: its type, and the values and numbers in it, in their order.
class ExpressionKey {
 public:
  explicit ExpressionKey(const void* type) { add(type); }

  void add(const Tensor& operand);
  void add(Constant number) { words_.push_back(number.bits); }
  /// The tensors that are in the key.
  const std::vector<Tensor>& operands() const { return operands_; }
  std::size_t hash() const;
  bool operator==(const ExpressionKey& other) const { return words_ == other.words_; }

 private:
  void add(const void* address) {
    words_.push_back(static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(address)));
  }

  std::vector<std::uint64_t> words_;
  std::vector<Tensor> operands_;  // held, so that no other value gets the address of one
};

class ExpressionCache {
 public:
  /// What the expression was recorded as; null if it was not.
  const Tensor* find(const ExpressionKey& key) const;
  void insert(ExpressionKey key, Tensor recorded);

 private:
  struct HashOfKey {
    std::size_t operator()(const ExpressionKey& key) const { return key.hash(); }
  };
  std::unordered_map<ExpressionKey, Tensor, HashOfKey> recorded_;
};

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/expression_cache.ipp>
#endif
