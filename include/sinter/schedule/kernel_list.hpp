#pragma once
// The kernels of a plan, each once: launches that compute the same name the same kernel.

#include <cstdint>        // std::int32_t
#include <unordered_map>  // std::unordered_map
#include <vector>         // std::vector

#include <sinter/schedule/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

class KernelList {
 public:
  /// The number of the kernel that computes what `kernel` does, which is added if there is none.
  std::int32_t add(const Kernel& kernel);

  std::vector<Kernel> kernels{};

 private:
  std::unordered_map<Hash, std::int32_t, HashOfHash> known_{};
};

/// SINTER_VERIFY: throws InternalError unless `shared`, which has the hash of `kernel`, is the same
/// kernel, symbols included: launches give sizes by the number of the symbol.
void require_same_kernel(const Kernel& shared, const Kernel& kernel);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/kernel_list.ipp>
#endif
