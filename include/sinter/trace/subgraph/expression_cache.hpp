#pragma once
// A process-wide cache of expressions, keyed by structure and operand types; a hit is recorded as
// one value. Used for typed expressions in recordings, and outside of recordings for functions made
// of many operations, such as cross_entropy.

#include <cstdint>  // std::uint64_t

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/small_vector.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// An operand of an expression: a value, or a number.
struct ExpressionOperand {
  Lazy* value = nullptr;
  std::uint32_t result = 0;
  Constant number{};
  Where where{};
};

/// The key of an expression: its type, its source lines, and the types of its operands.
class ExpressionKey {
 public:
  explicit ExpressionKey(const void* type) {
    words_.push_back(static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(type)));
  }

  /// The next operation was written there.
  void add(Where where) { words_.push_back(word_of(where)); }
  /// Adds another value that the expression depends on.
  void add(std::uint64_t word) { words_.push_back(word); }
  /// The next operand of an operation that was written at `where`.
  void add(const Tensor& operand, Where where);
  void add(Constant number, Where where) {
    operands_.push_back({.number = number, .where = where});
  }

  const SmallVector<ExpressionOperand, 8>& operands() const { return operands_; }
  std::size_t hash() const;
  bool operator==(const ExpressionKey& other) const { return words_ == other.words_; }

 private:
  SmallVector<std::uint64_t, 48> words_;
  SmallVector<ExpressionOperand, 8> operands_;
};

/// Thread-safe.
class ExpressionCache {
 public:
  ExpressionCache();
  ~ExpressionCache();
  ExpressionCache(const ExpressionCache&) = delete;
  ExpressionCache& operator=(const ExpressionCache&) = delete;

  /// Null for an expression that must be recorded operation by operation; nullopt for an unknown
  /// one.
  Optional<SharedPtr<const ExpressionGraph>> find(const ExpressionKey& key);
  void insert(const ExpressionKey& key, SharedPtr<const ExpressionGraph> graph);

 private:
  static constexpr std::size_t most = 4096;

  struct Known;

  UniquePtr<Known> known_;
};

/// That of the process.
ExpressionCache& expression_cache();

/// Gives the operands of an expression, from left to right.
class ExpressionReader {
 public:
  explicit ExpressionReader(Span<const Tensor> operands) : operands_(operands) {}
  const Tensor& next() { return operands_[next_++]; }

 private:
  Span<const Tensor> operands_;
  std::size_t next_ = 0;
};

/// The expression with `key`, written at `where`, as one value. An unknown expression is first
/// recorded with `record`. Nothing for one that depends on questions about sizes, and so must be
/// recorded operation by operation.
Optional<Tensor> record_expression(const ExpressionKey& key, Where where,
                                   FunctionRef<Tensor(ExpressionReader)> record);

/// record(operands), identified by the literal `name` and `options`. Outside of recordings the
/// operations are recorded once for each line and operand types, and are one value from then on.
Tensor record_composite(const char* name, Span<const Operand> operands,
                        Span<const std::uint64_t> options,
                        FunctionRef<Tensor(Span<const Operand>)> record);

/// Sizes of `lazy`, replaced.
void map_extents(Lazy& lazy, FunctionRef<Extent(Extent)> replaced);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/subgraph/expression_cache.ipp>
#endif
