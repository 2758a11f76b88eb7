#pragma once
// The leaves of a call for which gradients are being found outside of recordings.

#include <cstdint>  // std::uint64_t
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/jit/interface/callable.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// The leaves of the call in progress, for which gradients are being found; null if there are none.
const std::vector<bool>* wanted_leaves();

/// While it lives, calls record for the gradients of these leaves. Part of what is guarded.
class WantedScope {
 public:
  /// Those leaves of `call` that depend on a variable of a gradient.
  explicit WantedScope(const AnyCall& call);
  WantedScope(const WantedScope&) = delete;
  WantedScope& operator=(const WantedScope&) = delete;
  ~WantedScope();

 private:
  std::uint64_t outer_;
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/interface/requires_grad.ipp>
#endif
