#pragma once
// Variants and segments that are compiled in the background.

#include <memory>   // std::shared_ptr, std::weak_ptr
#include <utility>  // std::move

#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/jit/state/segment.hpp>
#include <sinter/jit/state/variant.hpp>
#include <sinter/runtime/host/background.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

class State;

/// A variant to be compiled in the background.
class CompileVariant : public runtime::BackgroundJob {
 public:
  CompileVariant(std::weak_ptr<State> state, std::shared_ptr<const Variant> interim)
      : state_(std::move(state)), interim_(std::move(interim)) {}
  void run() noexcept override;

 private:
  std::weak_ptr<State> state_;  // nobody needs it if the function is no more
  std::shared_ptr<const Variant> interim_;
};

/// A segment to be compiled in the background.
class CompileSegment : public runtime::BackgroundJob {
 public:
  CompileSegment(std::weak_ptr<State> state, const Hash& key,
                 std::shared_ptr<const Segment> interim)
      : state_(std::move(state)), key_(key), interim_(std::move(interim)) {}
  void run() noexcept override;

 private:
  std::weak_ptr<State> state_;
  Hash key_;
  std::shared_ptr<const Segment> interim_;
};

/// Compiles, in the background, what is interpreted until then.
void compile_later(std::weak_ptr<State> state, std::shared_ptr<const Variant> interim);
void compile_later(std::weak_ptr<State> state, const Hash& key,
                   std::shared_ptr<const Segment> interim);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/state/background.ipp>
#endif
