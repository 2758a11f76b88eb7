#pragma once
// The CUDA declarations that precede the text of a kernel for the host compiler.

#include "hooks.hpp"
#include "vectors.hpp"

#define __device__
#define __global__
#define __host__
#define __constant__ __attribute__((section("emulated_global")))
#define __emulated_global__ __attribute__((section("emulated_global")))
#define __shared__ static __attribute__((aligned(64)))
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __grid_constant__
#define __restrict__ __restrict

#define EMULATED_FRAME __builtin_frame_address(0)
// Inline, so that unused functions produce no code; but never inlined, so that calls have a frame.
#define EMULATED_CALL EMULATED_PLAIN static inline __attribute__((noinline, unused))

EMULATED_CALL emulated::Index emulated_thread() { return emulated_link->thread; }
EMULATED_CALL emulated::Index emulated_block() { return emulated_link->block; }
EMULATED_CALL emulated::Index emulated_block_size() { return emulated_link->block_size; }
EMULATED_CALL emulated::Index emulated_grid_size() { return emulated_link->grid_size; }
#define threadIdx emulated_thread()
#define blockIdx emulated_block()
#define blockDim emulated_block_size()
#define gridDim emulated_grid_size()
#define warpSize 32

// Barriers and votes.
EMULATED_CALL void __syncthreads() {
  emulated_link->barrier(emulated::Join::none, 0, EMULATED_FRAME);
}
EMULATED_CALL int __syncthreads_count(int v) {
  return emulated_link->barrier(emulated::Join::count, v, EMULATED_FRAME);
}
EMULATED_CALL int __syncthreads_and(int v) {
  return emulated_link->barrier(emulated::Join::all, v, EMULATED_FRAME);
}
EMULATED_CALL int __syncthreads_or(int v) {
  return emulated_link->barrier(emulated::Join::any, v, EMULATED_FRAME);
}
EMULATED_CALL void __syncwarp(unsigned mask = ~0u) {
  emulated_link->vote(emulated::Vote::sync, mask, 0, EMULATED_FRAME);
}
EMULATED_CALL int __all_sync(unsigned mask, int v) {
  return (int)emulated_link->vote(emulated::Vote::all, mask, v != 0, EMULATED_FRAME);
}
EMULATED_CALL int __any_sync(unsigned mask, int v) {
  return (int)emulated_link->vote(emulated::Vote::any, mask, v != 0, EMULATED_FRAME);
}
EMULATED_CALL unsigned __ballot_sync(unsigned mask, int v) {
  return emulated_link->vote(emulated::Vote::ballot, mask, v != 0, EMULATED_FRAME);
}
EMULATED_CALL unsigned __activemask() { return emulated_link->active_mask(); }

namespace emulated {

template <class T>
EMULATED_PLAIN inline unsigned long long bits_of(T v) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a shuffle moves 4 or 8 bytes");
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &v, sizeof(T));
  return bits;
}

template <class T>
EMULATED_PLAIN __attribute__((noinline)) T shuffled(Shuffle kind, unsigned mask, T v, int argument,
                                                    int width, const void* frame) {
  const unsigned long long bits =
      emulated_link->shuffle(kind, mask, bits_of(v), argument, width, frame);
  return loaded<T>(&bits);
}

}  // namespace emulated

template <class T>
EMULATED_CALL T __shfl_sync(unsigned mask, T v, int lane, int width = 32) {
  return emulated::shuffled(emulated::Shuffle::index, mask, v, lane, width, EMULATED_FRAME);
}
template <class T>
EMULATED_CALL T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32) {
  return emulated::shuffled(emulated::Shuffle::up, mask, v, (int)delta, width, EMULATED_FRAME);
}
template <class T>
EMULATED_CALL T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32) {
  return emulated::shuffled(emulated::Shuffle::down, mask, v, (int)delta, width, EMULATED_FRAME);
}
template <class T>
EMULATED_CALL T __shfl_xor_sync(unsigned mask, T v, int with, int width = 32) {
  return emulated::shuffled(emulated::Shuffle::exclusive, mask, v, with, width, EMULATED_FRAME);
}
template <class T>
EMULATED_CALL unsigned __match_any_sync(unsigned mask, T v) {
  return emulated_link->vote(emulated::Vote::match_any, mask, emulated::bits_of(v), EMULATED_FRAME);
}
template <class T>
EMULATED_CALL unsigned __match_all_sync(unsigned mask, T v, int* all) {
  const unsigned same =
      emulated_link->vote(emulated::Vote::match_all, mask, emulated::bits_of(v), EMULATED_FRAME);
  *all = same != 0;
  return same;
}

// Memory.
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
template <class T>
inline T __ldg(const T* p) {
  return *p;
}
#define EMULATED_LOAD(name)   \
  template <class T>          \
  inline T name(const T* p) { \
    return *p;                \
  }
#define EMULATED_STORE(name)    \
  template <class T>            \
  inline void name(T* p, T v) { \
    *p = v;                     \
  }
EMULATED_LOAD(__ldca)
EMULATED_LOAD(__ldcg)
EMULATED_LOAD(__ldcs)
EMULATED_LOAD(__ldlu)
EMULATED_LOAD(__ldcv)
EMULATED_STORE(__stwb)
EMULATED_STORE(__stcg)
EMULATED_STORE(__stcs)
EMULATED_STORE(__stwt)
EMULATED_CALL void* emulated_dynamic_shared() { return emulated_link->dynamic_shared(); }
EMULATED_CALL unsigned long __cvta_generic_to_shared(const void* p) {
  return emulated_link->shared_offset(p);
}
EMULATED_CALL void* emulated_malloc(unsigned long bytes) {
  return emulated_link->heap_allocate(bytes);
}
EMULATED_CALL void emulated_free(void* p) { emulated_link->heap_free(p); }
#define malloc(bytes) emulated_malloc(bytes)
#define free(p) emulated_free(p)
EMULATED_CALL void __trap() { emulated_link->trap("trap", EMULATED_FRAME); }
EMULATED_CALL void emulated_assert(const char* text) { emulated_link->trap(text, EMULATED_FRAME); }
#define assert(condition) ((condition) ? (void)0 : emulated_assert("assert(" #condition ")"))
extern "C" EMULATED_PLAIN __attribute__((noinline, weak, visibility("hidden"))) void
cudaGraphSetConditional(unsigned long long handle, unsigned value) {
  emulated_link->set_condition(handle, value, EMULATED_FRAME);
}

#include "arithmetic.hpp"
#include "atomics.hpp"
#include "ptx.hpp"
