#pragma once
// Walks values in the order in which they become nodes of a graph: operands first.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::uint8_t

#include <sinter/base/container/function_ref.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/value/lazy.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Whether detached values are inputs of their own, what they stand for, or that behind a cast
/// through which no gradient flows; as_casts makes those of inputs inputs, as_nodes does not.
enum class Detached : std::uint8_t { as_inputs, as_values, as_casts, as_nodes };

class ValueWalk {
 public:
  explicit ValueWalk(Detached detached) : detached_(detached) {}

  /// The value itself, or the value it stands for.
  Lazy* target(Lazy* lazy) const;
  /// True if `lazy` is an input of the graph, so that the walk does not visit its operands.
  bool is_leaf(const Lazy& lazy) const;
  static std::size_t operand_count(const Lazy& lazy);
  Lazy* operand(const Lazy& lazy, std::size_t i) const;

  /// Calls `add` for `root`, a target, and all that it is computed from, operands first. Operands
  /// for which `skips` is true are not visited; it must be true for those that were added.
  void visit(Lazy* root, FunctionRef<bool(const Lazy& reader, Lazy* operand)> skips,
             FunctionRef<void(Lazy&)> add) const;

 private:
  Detached detached_;
};

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/value/walk.ipp>
#endif
