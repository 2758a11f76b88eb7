#pragma once
// Expressions that this process has met are found by what they are and the types of their operands,
// and recorded as one value: those of typed tensors in recordings, and functions that are made of
// many operations, as cross_entropy is, outside of recordings.

#include <cstdint>   // std::uint64_t
#include <memory>    // std::shared_ptr, std::unique_ptr
#include <optional>  // std::optional
#include <span>      // std::span

#include <sinter/base/function_ref.hpp>
#include <sinter/base/small_vector.hpp>
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

/// What an expression is: its type, its lines, and the types of its operands.
class ExpressionKey {
 public:
  explicit ExpressionKey(const void* type) {
    words_.push_back(static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(type)));
  }

  /// The next operation was written there.
  void add(Where where) { words_.push_back(word_of(where)); }
  /// Something else that decides what the expression computes.
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

/// Safe from several threads.
class ExpressionCache {
 public:
  ExpressionCache();
  ~ExpressionCache();
  ExpressionCache(const ExpressionCache&) = delete;
  ExpressionCache& operator=(const ExpressionCache&) = delete;

  /// Null for an expression that has to be recorded operation by operation; nothing for one that
  /// is not known.
  std::optional<std::shared_ptr<const ExpressionGraph>> find(const ExpressionKey& key);
  void insert(const ExpressionKey& key, std::shared_ptr<const ExpressionGraph> graph);

 private:
  static constexpr std::size_t most = 4096;

  struct Known;

  std::unique_ptr<Known> known_;
};

/// That of the process.
ExpressionCache& expression_cache();

/// Gives the operands of an expression, from left to right.
class ExpressionReader {
 public:
  explicit ExpressionReader(std::span<const Tensor> operands) : operands_(operands) {}
  const Tensor& next() { return operands_[next_++]; }

 private:
  std::span<const Tensor> operands_;
  std::size_t next_ = 0;
};

/// The expression that `key` is, which was written at `where`, as one value. One that is not known
/// is recorded with `record` to learn what it computes. Nothing for one that asks something of
/// sizes, and so has to be recorded operation by operation.
std::optional<Tensor> record_expression(const ExpressionKey& key, Where where,
                                        FunctionRef<Tensor(ExpressionReader)> record);

/// record(operands), where `name`, a literal, and `options` decide what that is. Outside of
/// recordings the operations are recorded once for each line and types of operands, and are one
/// value from then on.
Tensor record_composite(const char* name, std::span<const Operand> operands,
                        std::span<const std::uint64_t> options,
                        FunctionRef<Tensor(std::span<const Operand>)> record);

/// Sizes of `lazy`, replaced.
void map_extents(Lazy& lazy, FunctionRef<Extent(Extent)> replaced);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/subgraph/expression_cache.ipp>
#endif
