#pragma once
// Stacks that take turns on one thread of the host.

#include <cstddef>

#include <setjmp.h>
#include <ucontext.h>

namespace emulator {

/// Runs functions one after the other, each on the fiber's own stack.
class Fiber {
 public:
  static constexpr std::size_t stack_bytes = std::size_t{1} << 18;

  Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber();

  /// `body` runs at the next resume; what ran before and has not ended is dropped.
  void start(void (*body)(void*), void* argument);
  /// Runs until `pause` or the end of the body; true at the end.
  bool resume();
  /// Back to whoever resumed the fiber that runs.
  void pause();
  /// True if `address` lies on its stack.
  bool contains(const void* address) const {
    return static_cast<std::size_t>(static_cast<const char*>(address) - stack_) < stack_bytes;
  }

 private:
  static void run(unsigned high, unsigned low);
  void loop();

  char* stack_ = nullptr;
  std::size_t used_bytes_ = stack_bytes;
  ucontext_t context_{};
  sigjmp_buf here_{}, home_{};
  void (*body_)(void*) = nullptr;
  void* argument_ = nullptr;
  bool fresh_ = true, busy_ = false;
};

}  // namespace emulator
