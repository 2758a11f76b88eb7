#pragma once
// Dangling reference checks, in programs compiled without NDEBUG or with SINTER_LIFETIMES: detects
// whether objects that a compiled function refers to have been destroyed, by tracking the tensors
// in them.

#include <cstddef>  // std::size_t

#include <sinter/base/container/atomic.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>

// Costs one branch in constructors and destructors of tensors.
#if !defined(NDEBUG) && !defined(SINTER_LIFETIMES)
#define SINTER_LIFETIMES
#endif

namespace sinter::inline SINTER_ABI::detail {

/// True once a watch exists; before that tensors need not be tracked.
inline Atomic<bool> tensors_are_watched{false};
void note_tensor_begin(void* tensor) noexcept;  // not const: the tensor has no content yet
void note_tensor_end(const void* tensor) noexcept;

/// First member of a tensor, whose address it has, with SINTER_LIFETIMES.
class TensorLife {
 public:
  TensorLife() noexcept { begin(); }
  TensorLife(const TensorLife&) noexcept { begin(); }
  TensorLife& operator=(const TensorLife&) noexcept { return *this; }
  ~TensorLife() {
    if (tensors_are_watched.load(MemoryOrder::relaxed)) [[unlikely]]
      note_tensor_end(this);
  }

 private:
  void begin() noexcept {
    if (tensors_are_watched.load(MemoryOrder::relaxed)) [[unlikely]]
      note_tensor_begin(this);
  }
};

/// Watches what a compiled function holds by reference: its module, or the variables that its
/// closure captures.
class LifetimeWatch {
 public:
  enum class Subject { module, captures };
  /// `addresses`: of the tensors in a module; or of captured objects of any type.
  LifetimeWatch(Subject subject, Vector<const void*> addresses, Where where);
  ~LifetimeWatch();
  LifetimeWatch(const LifetimeWatch&) = delete;
  LifetimeWatch& operator=(const LifetimeWatch&) = delete;

  /// Throws ValueError, with the line of compile(), if a tensor in the module has ended.
  void require_alive() const;
  /// True if a captured object begins at `address`.
  bool captures(const void* address) const;
  /// Throws ValueError if one of `tensors`, which are parts of a captured object, has ended.
  void require_alive(Span<const void* const> tensors) const;

 private:
  friend class LifetimeRegistry;
  struct Watched;
  [[noreturn]] void throw_ended() const;

  UniquePtr<Watched> watched_;
};

/// The watch of what the function captures that this thread is calling; null for none.
inline thread_local const LifetimeWatch* current_watch = nullptr;

class WatchScope {
 public:
  explicit WatchScope(const LifetimeWatch* watch) : outer_(current_watch) { current_watch = watch; }
  ~WatchScope() { current_watch = outer_; }
  WatchScope(const WatchScope&) = delete;
  WatchScope& operator=(const WatchScope&) = delete;

 private:
  const LifetimeWatch* outer_;
};

/// Throws ValueError if `tensor` is a captured variable that has ended. Nothing without
/// SINTER_LIFETIMES.
inline void require_alive([[maybe_unused]] const void* tensor) {
#ifdef SINTER_LIFETIMES
  if (current_watch != nullptr && current_watch->captures(tensor)) [[unlikely]]
    current_watch->require_alive({&tensor, 1});
#endif
}

/// The pointers in a closure of so many bytes that lead into the stack of this thread: local
/// variables that it captures by reference.
Vector<const void*> captured_locals(const void* closure, std::size_t bytes);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/value/lifetime.ipp>
#endif
