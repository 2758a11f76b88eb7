#pragma once
// Which leaves of a call require gradients, when it is differentiated outside of recordings.

#include <cstdint>  // std::uint64_t

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/jit/interface/callable.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// Which leaves of the call in progress require gradients; null if none does.
const Vector<bool>* leaves_requiring_grad();

/// While it lives, calls record for the gradients of these leaves. Part of what is guarded.
class RequiresGradScope {
 public:
  /// For the leaves of `call` that depend on a gradient variable.
  explicit RequiresGradScope(const AnyCall& call);
  RequiresGradScope(const RequiresGradScope&) = delete;
  RequiresGradScope& operator=(const RequiresGradScope&) = delete;
  ~RequiresGradScope();

 private:
  std::uint64_t outer_;
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/interface/requires_grad.ipp>
#endif
