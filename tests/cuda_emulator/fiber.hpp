#pragma once
// Stacks that take turns on one thread of the host.

#include <cstddef>

#if (!defined(__x86_64__) && !defined(__aarch64__)) || defined(EMULATOR_UCONTEXT)
#include <ucontext.h>
#define EMULATOR_FIBERS_OF_LIBC 1
#else
#define EMULATOR_FIBERS_OF_LIBC 0
#endif

namespace emulator {

/// Runs a function, which never returns, on a stack of its own.
class Fiber {
 public:
  static constexpr std::size_t stack_bytes = std::size_t{1} << 18;

  explicit Fiber(void (*body)());
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber();

  /// Whatever runs waits here until someone goes back to it; `to` goes on, or begins. Null is the
  /// stack of the thread, where all begins.
  static void go_to(Fiber* to);
  /// What it is in the middle of is dropped: it begins again.
  void reset();
  /// True if `address` lies on its stack.
  bool contains(const void* address) const {
    return static_cast<std::size_t>(static_cast<const char*>(address) - stack_) < stack_bytes;
  }

  /// What a stack that does not run leaves behind.
  struct Context {
#if EMULATOR_FIBERS_OF_LIBC
    ucontext_t registers{};
#else
    void* top = nullptr;  ///< Its registers lie there.
#endif
    const void* stack = nullptr;  ///< For the address sanitizer.
    std::size_t bytes = 0;
    void* fake = nullptr;
  };

 private:
  static void enter();

  char* stack_ = nullptr;
  std::size_t used_bytes_ = stack_bytes;
  Context context_{};
  void (*body_)();
};

}  // namespace emulator
