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

/// Reasons that several stages give.
namespace refusal {
inline constexpr std::string_view few_rows = "there are too few rows to share among threads";
inline constexpr std::string_view other_space = "the two do not iterate over the same elements";
inline constexpr std::string_view other_element =
    "it is read at other elements than the one that is computed";
inline constexpr std::string_view different_axes = "it is reduced over different axes";
inline constexpr std::string_view gathered = "it is gathered at indices known only at run time";
inline constexpr std::string_view kernel_between = "another kernel has to run between them";
inline constexpr std::string_view many_operations =
    "fused they would have more operations than a kernel may have";
}  // namespace refusal

/// The reason of each refusal to compute a value in the kernel that reads it. A later attempt
/// replaces the reason of an earlier one. Reasons are texts that outlive the plan.
class Refusals {
 public:
  /// For the kernel that computes `reader`.
  void add(NodeId value, NodeId reader, std::string_view reason) {
    of_nodes_[{value, reader}] = reason;
  }
  /// For the kernel that computes these fusion groups.
  void add(NodeId value, Span<const std::int32_t> reader_groups, std::string_view reason) {
    for (const std::int32_t group : reader_groups) of_groups_[{value, group}] = reason;
  }
  /// Why the kernel that computes `reader` loads `value`. Empty if nothing was refused.
  std::string_view reason(NodeId value, NodeId reader) const {
    const auto found = of_nodes_.find({value, reader});
    return found == of_nodes_.end() ? std::string_view() : found->second;
  }
  /// The same for the kernel of fusion group `reader`.
  std::string_view reason_of_group(NodeId value, std::int32_t reader) const {
    const auto found = of_groups_.find({value, reader});
    return found == of_groups_.end() ? std::string_view() : found->second;
  }

 private:
  SortedMap<std::pair<NodeId, NodeId>, std::string_view> of_nodes_{};
  SortedMap<std::pair<NodeId, std::int32_t>, std::string_view> of_groups_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule
