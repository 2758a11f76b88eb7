#pragma once
// The distinct kernels of a plan. Launches with equal kernels share one.

#include <cstdint>  // std::int32_t

#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

class KernelList {
 public:
  /// The index of the kernel equal to `kernel`, which is added if there is none.
  std::int32_t add(const Kernel& kernel);

  Vector<Kernel> kernels{};

 private:
  HashMap<Hash, std::int32_t, HashOfHash> known_{};
};

/// With SINTER_VERIFY: throws InternalError if `shared` and `kernel`, whose hashes are equal,
/// differ in any way, including the ids of their symbols, by which launches pass sizes.
void require_same_kernel(const Kernel& shared, const Kernel& kernel);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/ir/kernel_list.ipp>
#endif
