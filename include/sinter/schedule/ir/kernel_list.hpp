#pragma once
// The distinct kernels of a plan. Launches with equal kernels share one.

#include <cstdint>  // std::int32_t

#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/verify.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// With SINTER_VERIFY: throws InternalError if `shared` and `kernel`, whose hashes are equal,
/// differ in any way, including the ids of their symbols, by which launches pass sizes.
inline void require_same_kernel(const Kernel& shared, const Kernel& kernel) {
  if (!verifies()) return;
  require_shared(hash_with_symbols(shared), hash_with_symbols(kernel),
                 "launches with different symbols share a kernel\n", shared, "\n", kernel);
}

class KernelList {
 public:
  /// The index of the kernel equal to `kernel`, which is added if there is none.
  std::int32_t add(const Kernel& kernel) { return add(kernel, hash_of(kernel)); }
  /// The same for a caller that already has `hash`, which must be hash_of(kernel).
  std::int32_t add(const Kernel& kernel, const Hash& hash) {
    const auto next = static_cast<std::int32_t>(kernels.size());
    const auto [entry, is_new] = known_.emplace(hash, next);
    if (is_new) {
      kernels.push_back(kernel);
    } else {
      require_same_kernel(kernels[entry->second], kernel);
    }
    return entry->second;
  }

  Vector<Kernel> kernels{};

 private:
  HashMap<Hash, std::int32_t, HashOfHash> known_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule
