#pragma once
// Background compilation of variants and segments.

#include <utility>  // std::move

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/jit/state/segment.hpp>
#include <sinter/jit/state/variant.hpp>
#include <sinter/runtime/host/background.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

class State;

/// Compiles a variant in the background.
class CompileVariant : public runtime::BackgroundJob {
 public:
  CompileVariant(WeakPtr<State> state, SharedPtr<const Variant> interim)
      : state_(std::move(state)), interim_(std::move(interim)) {}
  void run() noexcept override;

 private:
  WeakPtr<State> state_;  // the result is not needed once the function is destroyed
  SharedPtr<const Variant> interim_;
};

/// Compiles a segment in the background.
class CompileSegment : public runtime::BackgroundJob {
 public:
  CompileSegment(WeakPtr<State> state, const Hash& key, SharedPtr<const Segment> interim)
      : state_(std::move(state)), key_(key), interim_(std::move(interim)) {}
  void run() noexcept override;

 private:
  WeakPtr<State> state_;
  Hash key_;
  SharedPtr<const Segment> interim_;
};

/// Compiles `interim` in the background; it is interpreted until then.
void compile_in_background(WeakPtr<State> state, SharedPtr<const Variant> interim);
void compile_in_background(WeakPtr<State> state, const Hash& key, SharedPtr<const Segment> interim);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/state/background.ipp>
#endif
