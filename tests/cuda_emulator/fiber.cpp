#include "fiber.hpp"

#include <algorithm>
#include <stdexcept>

#include <sys/mman.h>

#ifdef EMULATOR_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

// emulator_change_stack(void** from, void* to): pushes the callee-saved registers, stores the stack
// pointer in `from`, switches to the stack `to`, and pops its registers.
#if EMULATOR_FIBERS_OF_LIBC
#elif defined(__x86_64__)
asm(R"(
  .text
  .p2align 4
  .hidden emulator_change_stack
  .globl emulator_change_stack
  .type emulator_change_stack, @function
emulator_change_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size emulator_change_stack, .-emulator_change_stack
)");
#else
asm(R"(
  .text
  .p2align 4
  .hidden emulator_change_stack
  .globl emulator_change_stack
  .type emulator_change_stack, %function
emulator_change_stack:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x2, sp
  str x2, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
  .size emulator_change_stack, .-emulator_change_stack
)");
#endif

namespace emulator {

namespace {

constexpr std::size_t guard = 4096;

#ifdef EMULATOR_ASAN
void leave(StoppedStack& from, const StoppedStack& to) {
  __sanitizer_start_switch_fiber(&from.fake, to.stack, to.bytes);
}
void forget(const void* stack, std::size_t bytes) { ASAN_UNPOISON_MEMORY_REGION(stack, bytes); }
#else
void leave(StoppedStack&, const StoppedStack&) {}
void forget(const void*, std::size_t) {}
#endif

#if EMULATOR_FIBERS_OF_LIBC
void change_registers(StoppedStack& from, StoppedStack& to) {
  swapcontext(&from.registers, &to.registers);
}
void prepare(StoppedStack& context, char* stack, std::size_t bytes, void (*enter)()) {
  getcontext(&context.registers);
  context.registers.uc_stack.ss_sp = stack;
  context.registers.uc_stack.ss_size = bytes;
  context.registers.uc_link = nullptr;
  makecontext(&context.registers, enter, 0);
}
#else
void change_registers(StoppedStack& from, StoppedStack& to) {
  emulator_change_stack(&from.top, to.top);
}
// The registers and return address that emulator_change_stack pops.
void prepare(StoppedStack& context, char* stack, std::size_t bytes, void (*enter)()) {
#if defined(__x86_64__)
  constexpr std::size_t words = 8, address = 6;
#else
  constexpr std::size_t words = 20, address = 11;
#endif
  void** const registers = reinterpret_cast<void**>(stack + bytes) - words;
  std::fill(registers, registers + words, nullptr);
  registers[address] = reinterpret_cast<void*>(enter);
  context.top = registers;
}
#endif

}  // namespace

Fiber::Fiber(void (*body)()) : body_(body) {
  void* const all = mmap(nullptr, stack_bytes + guard, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (all == MAP_FAILED) throw std::runtime_error("the emulator cannot map a stack");
  mprotect(all, guard, PROT_NONE);
  stack_ = static_cast<char*>(all) + guard;
  context_.stack = stack_;
  context_.bytes = stack_bytes;
  // Staggers the stacks: the same offset in each page would map to the same cache sets.
  static std::size_t count = 0;
  used_bytes_ = stack_bytes - count++ % 64 * 64;
  reset();
}

Fiber::~Fiber() { munmap(stack_ - guard, stack_bytes + guard); }

void Fiber::reset() {
  forget(stack_, stack_bytes);
  prepare(context_, stack_, used_bytes_, &Fiber::enter);
}

void Fiber::change(StoppedStack& from, StoppedStack& to) {
  leave(from, to);
  change_registers(from, to);
  arrive(from.fake);
}

void Fiber::arrive([[maybe_unused]] void* fake) {
#ifdef EMULATOR_ASAN
  const void* stack = nullptr;
  std::size_t bytes = 0;
  __sanitizer_finish_switch_fiber(fake, &stack, &bytes);
  if (came_from_home_) home_.stack = stack, home_.bytes = bytes;
#endif
}

void Fiber::enter() {
  arrive(nullptr);
  current_->body_();
}

}  // namespace emulator
