#pragma once
// Sees each launch of the plans that this thread runs on the host: for checks of numerics.

#include <cstdint>  // std::int64_t

#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

class LaunchWatch {
 public:
  virtual ~LaunchWatch() = default;
  /// `launch` of `plan` has run; `pointers` are the addresses of its buffers. What this throws ends
  /// the call.
  virtual void launched(const schedule::Plan& plan, const schedule::Launch& launch,
                        void* const* pointers, Span<const std::int64_t> symbols) = 0;
};
/// Null unless something watches; launches then run one after the other.
inline thread_local LaunchWatch* launch_watch = nullptr;

}  // namespace sinter::inline SINTER_ABI::detail::runtime
