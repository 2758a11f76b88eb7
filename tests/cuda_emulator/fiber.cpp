// A check of glibc takes a jump to another stack for a mistake.
#undef _FORTIFY_SOURCE

#include "fiber.hpp"

#include <cstdint>
#include <stdexcept>

#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace emulator {

namespace {

constexpr std::size_t guard = 4096;

#if defined(__SANITIZE_ADDRESS__)
const void* home_stack = nullptr;
std::size_t home_bytes = 0;
void leave(void** saved, const void* stack, std::size_t bytes) {
  __sanitizer_start_switch_fiber(saved, stack, bytes);
}
void enter(void* saved, const void** from, std::size_t* bytes) {
  __sanitizer_finish_switch_fiber(saved, from, bytes);
}
#else
constexpr const void* home_stack = nullptr;
constexpr std::size_t home_bytes = 0;
void leave(void**, const void*, std::size_t) {}
void enter(void*, const void**, std::size_t*) {}
#endif

}  // namespace

Fiber::Fiber() {
  void* const all = mmap(nullptr, stack_bytes + guard, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (all == MAP_FAILED) throw std::runtime_error("the emulator cannot map a stack");
  mprotect(all, guard, PROT_NONE);
  stack_ = static_cast<char*>(all) + guard;
  // Stacks that begin at the same place in a page would fight for the same lines of the cache.
  static std::size_t count = 0;
  used_bytes_ = stack_bytes - count++ % 64 * 64;
}

Fiber::~Fiber() { munmap(stack_ - guard, stack_bytes + guard); }

void Fiber::start(void (*body)(void*), void* argument) {
  fresh_ = fresh_ || busy_;
  body_ = body;
  argument_ = argument;
  busy_ = true;
}

// Contexts are changed by setcontext once, which calls the system; from then on by long jumps.
bool Fiber::resume() {
  void* saved = nullptr;
  leave(&saved, stack_, stack_bytes);
  if (sigsetjmp(home_, 0) == 0) {
    if (!fresh_) siglongjmp(here_, 1);
    fresh_ = false;
    getcontext(&context_);
    context_.uc_stack.ss_sp = stack_;
    context_.uc_stack.ss_size = used_bytes_;
    context_.uc_link = nullptr;
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&context_, reinterpret_cast<void (*)()>(&Fiber::run), 2,
                static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
    setcontext(&context_);
  }
  enter(saved, nullptr, nullptr);
  return !busy_;
}

void Fiber::run(unsigned high, unsigned low) {
  const std::uintptr_t self = std::uintptr_t{high} << 32 | low;
  reinterpret_cast<Fiber*>(self)->loop();
}

void Fiber::loop() {
#if defined(__SANITIZE_ADDRESS__)
  enter(nullptr, &home_stack, &home_bytes);
#endif
  for (;;) {
    body_(argument_);
    busy_ = false;
    pause();
  }
}

void Fiber::pause() {
  void* saved = nullptr;
  leave(&saved, home_stack, home_bytes);
  if (sigsetjmp(here_, 0) == 0) siglongjmp(home_, 1);
  enter(saved, nullptr, nullptr);
}

}  // namespace emulator
