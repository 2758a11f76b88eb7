#pragma once
// The gradient and the batched form of a custom operation, written as nodes instead of traced.

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/symbol/extent/extent.hpp>

namespace sinter::inline SINTER_ABI::detail {

class Builder;
struct Node;
struct Value;

/// Rules of an operation that needs no bodies: its gradient may be the same operation again, which
/// a traced gradient could not end with.
class CustomRules {
 public:
  virtual ~CustomRules() = default;

  /// Appends the gradients of the floating operands of `node`, in their order. `results` are those
  /// of the node, `gradients` one for each of them.
  virtual Vector<Value> gradients(Builder& builder, const Node& node, Span<const Value> results,
                                  Span<const Value> gradients) const = 0;
  /// Appends `node`, a node of one sample, for `count` samples: they lie along axis 0 of
  /// `operands` and of each result.
  virtual Vector<Value> batched(Builder& builder, const Node& node, Span<const Value> operands,
                                Extent count) const = 0;
};

}  // namespace sinter::inline SINTER_ABI::detail
