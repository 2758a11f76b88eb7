#pragma once
// Fibers: stacks that share one host thread cooperatively.

#include <cstddef>

#if (!defined(__x86_64__) && !defined(__aarch64__)) || defined(EMULATOR_UCONTEXT)
#include <ucontext.h>
#define EMULATOR_FIBERS_OF_LIBC 1
#else
#define EMULATOR_FIBERS_OF_LIBC 0
#endif

#if defined(__SANITIZE_ADDRESS__)
#define EMULATOR_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EMULATOR_ASAN 1
#endif
#endif

#if !EMULATOR_FIBERS_OF_LIBC
extern "C" void emulator_change_stack(void** from, void* to);
#endif

namespace emulator {

/// The saved context of a suspended stack.
struct StoppedStack {
#if EMULATOR_FIBERS_OF_LIBC
  ucontext_t registers{};
#else
  void* top = nullptr;  ///< Stack pointer; the saved registers lie there.
#endif
  const void* stack = nullptr;  ///< For the address sanitizer.
  std::size_t bytes = 0;
  void* fake = nullptr;
};

/// Runs a function that never returns on its own stack.
class Fiber {
 public:
  static constexpr std::size_t stack_bytes = std::size_t{1} << 18;

  explicit Fiber(void (*body)());
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber();

  /// Suspends the running stack, and resumes or starts `to`. Null is the stack of the host thread,
  /// where everything starts.
  static void go_to(Fiber* to) {
    StoppedStack& from = current_ == nullptr ? home_ : current_->context_;
    StoppedStack& next = to == nullptr ? home_ : to->context_;
    came_from_home_ = current_ == nullptr;
    current_ = to;
#if EMULATOR_FIBERS_OF_LIBC || defined(EMULATOR_ASAN)
    change(from, next);
#else
    emulator_change_stack(&from.top, next.top);
#endif
  }
  /// Abandons its current state: it starts again.
  void reset();
  /// True if `address` lies on its stack.
  bool contains(const void* address) const {
    return static_cast<std::size_t>(static_cast<const char*>(address) - stack_) < stack_bytes;
  }

 private:
  static void enter();
  static void change(StoppedStack& from, StoppedStack& to);
  static void arrive(void* fake);

  static inline Fiber* current_ = nullptr;
  static inline StoppedStack home_{};
  static inline bool came_from_home_ = false;

  char* stack_ = nullptr;
  std::size_t used_bytes_ = stack_bytes;
  StoppedStack context_{};
  void (*body_)();
};

}  // namespace emulator
