#pragma once

#include <sinter/base/verify.hpp>
#include <sinter/schedule/ir/kernel_list.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

SINTER_INLINE std::int32_t KernelList::add(const Kernel& kernel) {
  const auto next = static_cast<std::int32_t>(kernels.size());
  const auto [entry, is_new] = known_.emplace(hash_of(kernel), next);
  if (is_new) {
    kernels.push_back(kernel);
  } else {
    require_same_kernel(kernels[entry->second], kernel);
  }
  return entry->second;
}

SINTER_INLINE void require_same_kernel(const Kernel& shared, const Kernel& kernel) {
  if (!verifies()) return;
  require_shared(hash_with_symbols(shared), hash_with_symbols(kernel),
                 "launches with different symbols share a kernel\n", shared, "\n", kernel);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
