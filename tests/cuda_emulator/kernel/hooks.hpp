#pragma once
// Calls from kernels to the emulator; nothing here is instrumented. The functions that the compiler
// calls at each memory access (-fsanitize=thread) are those of the emulator, except for odd sizes.

#include "link.hpp"

#define EMULATED_PLAIN __attribute__((no_sanitize("thread")))
#define EMULATED_HOOK \
  extern "C" __attribute__((no_sanitize("thread"), visibility("hidden"), noinline)) void

extern "C" __attribute__((section("emulated_links"))) emulated::Link* emulated_link;
emulated::Link* emulated_link;

EMULATED_HOOK __tsan_read_range(void* p, unsigned long bytes) {
  emulated_link->access(p, bytes, emulated::reads, __builtin_frame_address(0));
}
EMULATED_HOOK __tsan_write_range(void* p, unsigned long bytes) {
  emulated_link->access(p, bytes, emulated::writes, __builtin_frame_address(0));
}
EMULATED_HOOK __tsan_init() {}

namespace emulated {

template <class T>
EMULATED_PLAIN inline T loaded(const void* p) {
  T v;
  __builtin_memcpy(&v, p, sizeof(T));
  return v;
}

template <int... at>
struct Positions {};
template <int n, int... at>
struct Counted : Counted<n - 1, n - 1, at...> {};
template <int... at>
struct Counted<0, at...> {
  using Type = Positions<at...>;
};

template <class... P, int... at>
EMULATED_PLAIN void call(void (*kernel)(P...), void** parameters, Positions<at...>) {
  kernel(loaded<P>(parameters[at])...);
}

/// The sizes of the parameters of a kernel, and its call with an array of their addresses.
template <class... P>
EMULATED_PLAIN void call(void (*kernel)(P...), void** parameters) {
  call(kernel, parameters, typename Counted<sizeof...(P)>::Type());
}
template <class... P>
EMULATED_PLAIN int sizes(void (*)(P...), unsigned* to) {
  const unsigned all[]{sizeof(P)..., 0};
  for (unsigned i = 0; i < sizeof...(P); ++i) to[i] = all[i];
  return sizeof...(P);
}

}  // namespace emulated

#define EMULATED_KERNEL(name)                                                                \
  extern "C" EMULATED_PLAIN void emulated_call_##name(void** p) { emulated::call(name, p); } \
  extern "C" EMULATED_PLAIN int emulated_sizes_##name(unsigned* to) {                        \
    return emulated::sizes(name, to);                                                        \
  }
