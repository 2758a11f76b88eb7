#pragma once

#include <mutex>    // std::lock_guard
#include <utility>  // std::exchange

#include <sinter/base/error.hpp>
#include <sinter/base/log.hpp>
#include <sinter/base/text.hpp>
#include <sinter/jit/state/observed.hpp>
#include <sinter/trace/module/pattern.hpp>
#include <sinter/trace/transform/effects.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// The observer whose function this thread is running; null if none.
inline constinit thread_local const Observer* running_observer = nullptr;

struct RunningObserver {
  explicit RunningObserver(const Observer* observer)
      : outer(std::exchange(running_observer, observer)) {}
  RunningObserver(const RunningObserver&) = delete;
  RunningObserver& operator=(const RunningObserver&) = delete;
  ~RunningObserver() { running_observer = outer; }
  const Observer* outer;
};

}  // namespace detail

SINTER_INLINE void Observer::call(std::string_view name, const Tensor& value) const {
  const std::lock_guard lock(mutex_);
  if (is_stopped_) return;
  if (detail::running_observer == this) {
    throw ValueError({.op = "observe",
                      .what = "a function that sees values calls the function that gives them",
                      .facts = {{"value", std::string(name)}},
                      .rule = "each call of the compiled function calls it",
                      .fix = "compute with the value, or call the function that was compiled",
                      .where = where_});
  }
  const detail::RunningObserver running(this);
  (*function_)(name, value);
}

SINTER_INLINE void Observer::stop() {
  const std::lock_guard lock(mutex_);
  is_stopped_ = true;
}

namespace detail {

// The call of an observer in a recording.
class CallOfObserver final : public HostFunction {
 public:
  CallOfObserver(SharedPtr<const Observer> observer, std::string name)
      : observer_(std::move(observer)), name_(std::move(name)) {}
  void operator()(Span<const Tensor> operands) const override {
    observer_->call(name_, operands[0]);
  }
  // Programs hold the observer, so no other one has its address while they exist.
  Hash identity() const override {
    return Hasher().add(reinterpret_cast<std::uintptr_t>(observer_.get())).add(name_).result();
  }

 private:
  SharedPtr<const Observer> observer_;
  std::string name_;
};

}  // namespace detail

SINTER_INLINE void ObservedState::observe(const std::string& path, std::string_view name,
                                          const Tensor& value, Where where) {
  const std::string full = name.empty()   ? path
                           : path.empty() ? std::string(name)
                                          : text(path, ".", name);
  for (std::size_t i = 0; i < observers_.size(); ++i) {
    const std::string& pattern = observers_[i]->pattern();
    const bool fits = fits_pattern(pattern, full) || (!name.empty() && fits_pattern(pattern, name));
    {
      const std::lock_guard lock(mutex_);
      if (!full.empty()) names_.insert(full);
      has_fit_[i] = has_fit_[i] || fits;
    }
    if (!fits) continue;
    add_effect(make_shared_ptr<const detail::CallOfObserver>(observers_[i], full),
               {imported(value, where)}, false, "observe", where);
  }
}

SINTER_INLINE void ObservedState::warn_of_unused() {
  constexpr std::size_t most = 12;
  const std::lock_guard lock(mutex_);
  if (has_warned_) return;
  has_warned_ = true;
  for (std::size_t i = 0; i < observers_.size(); ++i) {
    if (has_fit_[i]) continue;
    std::string known;
    std::size_t count = 0;
    for (const std::string& name : names_) {
      if (++count > most) break;
      known += text(known.empty() ? "" : ", ", name);
    }
    warn(text(sinter::to_string(observers_[i]->where()), ": no value of the function fits \"",
              observers_[i]->pattern(), "\"; ",
              known.empty() ? "it has no modules and no values named by observe()" : "there are ",
              known, names_.size() > most ? ", ..." : ""));
  }
}

SINTER_INLINE SharedPtr<ObservedState> Observers::current() {
  const std::lock_guard lock(mutex_);
  return current_;
}

SINTER_INLINE void Observers::add(SharedPtr<const Observer> observer, SharedPtr<State> state) {
  const std::lock_guard lock(mutex_);
  list_.push_back(std::move(observer));
  renew(std::move(state));
}

SINTER_INLINE void Observers::remove(const Observer* observer, SharedPtr<State> state) {
  const std::lock_guard lock(mutex_);
  Vector<SharedPtr<const Observer>> rest;
  for (const auto& one : list_) {
    if (one.get() != observer) rest.push_back(one);
  }
  list_ = std::move(rest);
  renew(std::move(state));
}

SINTER_INLINE void Observers::renew(SharedPtr<State> state) {
  any_.store(!list_.empty(), std::memory_order_relaxed);
  current_ = list_.empty() ? nullptr : make_shared_ptr<ObservedState>(std::move(state), list_);
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
