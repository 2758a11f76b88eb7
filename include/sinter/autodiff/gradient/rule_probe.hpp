#pragma once
// Follows or changes the results of gradient and batching rules: for bisect() and planted faults.

#include <cstddef>  // std::size_t

#include <sinter/config.hpp>
#include <sinter/graph/builder.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff {

class RuleProbe {
 public:
  virtual ~RuleProbe() = default;
  /// The rule of `node`, a node of the graph of `builder`, gave `gradient` for its input `input`.
  /// Returns what to use instead.
  virtual Value differentiated(Builder& builder, const Node& node, std::size_t input,
                               Value gradient) = 0;
  /// The rule of `node`, a node of the graph `sample`, gave `result` for its result `number`.
  virtual Value batched(Builder& builder, const Graph& sample, const Node& node,
                        std::size_t number, Value result) = 0;
};
/// Null but for bisect() and tests. Of this thread.
inline thread_local RuleProbe* rule_probe = nullptr;

}  // namespace sinter::inline SINTER_ABI::detail::autodiff
