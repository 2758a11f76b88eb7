#pragma once
// The learning rate and weight decay of a parameter, and what parameters with the same ones share.

#include <array>    // std::array
#include <utility>  // std::pair
#include <vector>   // std::vector

#include <sinter/optim/update.hpp>

namespace sinter::inline SINTER_ABI::optim {

/// The learning rate of the group of `update`, or else of the optimizer.
template <class Optimizer>
const Scalar& learning_rate_of(const Optimizer& optimizer, const Update& update) {
  const int group = update.groups[0];
  return group < 0 ? optimizer.learning_rate
                   : *optimizer.groups[static_cast<std::size_t>(group)].learning_rate;
}

/// The weight decay of the group of `update`, or else of the optimizer.
template <class Optimizer>
const Scalar& weight_decay_of(const Optimizer& optimizer, const Update& update) {
  const int group = update.groups[1];
  return group < 0 ? optimizer.weight_decay
                   : *optimizer.groups[static_cast<std::size_t>(group)].weight_decay;
}

/// Values that are computed once for all parameters of the same groups.
template <class Shared>
class PerGroup {
 public:
  /// What make() gave for the first update of these groups.
  template <class Make>
  const Shared& of(const Update& update, Make make) {
    for (const auto& [groups, shared] : list_) {
      if (groups == update.groups) return shared;
    }
    return list_.emplace_back(update.groups, make()).second;
  }

 private:
  std::vector<std::pair<std::array<int, 2>, Shared>> list_;
};

}  // namespace sinter::inline SINTER_ABI::optim
