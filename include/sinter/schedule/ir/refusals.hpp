#pragma once
// Why fusion kept values in memory, noted where that was decided.

#include <cstdint>      // std::int32_t
#include <string_view>  // std::string_view
#include <utility>      // std::pair

#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// The reason of each refusal to compute a value in the kernel that reads it. A later attempt
/// replaces the reason of an earlier one. Reasons are texts that outlive the plan.
class Refusals {
 public:
  /// For the kernel that computes these fusion groups.
  void add(NodeId value, Span<const std::int32_t> reader_groups, std::string_view reason) {
    for (const std::int32_t group : reader_groups) reasons_[{value, group}] = reason;
  }
  /// Why the kernel of fusion group `reader` loads `value`. Empty if nothing was refused.
  std::string_view reason(NodeId value, std::int32_t reader) const {
    const auto found = reasons_.find({value, reader});
    return found == reasons_.end() ? std::string_view() : found->second;
  }

 private:
  SortedMap<std::pair<NodeId, std::int32_t>, std::string_view> reasons_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule
