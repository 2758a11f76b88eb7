#pragma once
// The observers of a compiled function, and what serves its calls while there are any.

#include <atomic>       // std::atomic
#include <mutex>        // std::recursive_mutex
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/interop/observe.hpp>
#include <sinter/trace/module/scope.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

class State;

/// A pattern of names, and what is called with the values that have them: by one thread at a time,
/// and not after stop() returned.
class Observer {
 public:
  Observer(std::string pattern, SharedPtr<const ObserverFunction> function, Where where)
      : pattern_(std::move(pattern)), function_(std::move(function)), where_(where) {}

  const std::string& pattern() const { return pattern_; }
  Where where() const { return where_; }
  void call(std::string_view name, const Tensor& value) const;
  void stop();

 private:
  std::string pattern_;
  SharedPtr<const ObserverFunction> function_;
  Where where_;
  mutable RecursiveProcessMutex mutex_{};  // its function may end the observation
  bool is_stopped_ = false;
};

/// Serves the calls while the observers are these: its state has other recordings than that of the
/// function, with calls of the observers.
class ObservedState final : public ValueObserver {
 public:
  ObservedState(SharedPtr<State> state, Vector<SharedPtr<const Observer>> observers)
      : state_(std::move(state)), observers_(std::move(observers)), has_fit_(observers_.size()) {}

  State& state() const { return *state_; }
  void observe(const std::string& path, std::string_view name, const Tensor& value,
               Where where) override;
  /// Warns, after the first call, of patterns that no value of the recording fits.
  void warn_of_unused();

 private:
  SharedPtr<State> state_;
  Vector<SharedPtr<const Observer>> observers_;
  ProcessMutex mutex_{};
  Vector<bool> has_fit_;
  SortedSet<std::string> names_{};  // of all values of recordings
  bool has_warned_ = false;
};

/// The observers of a compiled function.
class Observers {
 public:
  bool any() const { return any_.load(std::memory_order_relaxed); }
  /// Null if there are none.
  SharedPtr<ObservedState> current();
  /// Adds an observer, or removes one. `state` has no recordings yet: it serves what follows.
  void add(SharedPtr<const Observer> observer, SharedPtr<State> state);
  void remove(const Observer* observer, SharedPtr<State> state);

 private:
  void renew(SharedPtr<State> state);

  ProcessMutex mutex_{};
  std::atomic<bool> any_{false};
  Vector<SharedPtr<const Observer>> list_{};
  SharedPtr<ObservedState> current_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/state/observed.ipp>
#endif
