#pragma once
// Atomic operations. Threads of a kernel are fibers, so a plain read and write is atomic.

namespace emulated {

template <class T, class F>
EMULATED_PLAIN inline __attribute__((noinline)) T exchange(T* p, const void* frame, F change) {
  emulated_link->access((const void*)p, sizeof(T), atomic | writes, frame);
  const T was = loaded<T>((const void*)p), is = change(was);
  __builtin_memcpy((void*)p, &is, sizeof(T));
  return was;
}

}  // namespace emulated

#define EMULATED_ATOMIC(name, type, expression)                                             \
  EMULATED_CALL type name(type* p, type v) {                                                \
    return emulated::exchange(p, EMULATED_FRAME,                                            \
                              [v](type was) EMULATED_PLAIN -> type { return expression; }); \
  }                                                                                         \
  EMULATED_CALL type name##_block(type* p, type v) { return name(p, v); }                   \
  EMULATED_CALL type name##_system(type* p, type v) { return name(p, v); }
#define EMULATED_INTEGERS(_, name, expression) \
  _(name, int, expression)                     \
  _(name, unsigned, expression)                \
  _(name, unsigned long long, expression)
#define EMULATED_SIGNED(_, name, expression) _(name, long long, expression)
#define EMULATED_FLOATS(_, name, expression) _(name, float, expression) _(name, double, expression)

// Sums of integers wrap.
EMULATED_INTEGERS(EMULATED_ATOMIC, atomicAdd,
                  (decltype(was))((unsigned long long)was + (unsigned long long)v))
EMULATED_FLOATS(EMULATED_ATOMIC, atomicAdd, was + v)
EMULATED_ATOMIC(atomicSub, int, (int)((unsigned)was - (unsigned)v))
EMULATED_ATOMIC(atomicSub, unsigned, was - v)
EMULATED_INTEGERS(EMULATED_ATOMIC, atomicExch, v)
EMULATED_ATOMIC(atomicExch, float, v)
EMULATED_INTEGERS(EMULATED_ATOMIC, atomicMin, v < was ? v : was)
EMULATED_SIGNED(EMULATED_ATOMIC, atomicMin, v < was ? v : was)
EMULATED_INTEGERS(EMULATED_ATOMIC, atomicMax, v > was ? v : was)
EMULATED_SIGNED(EMULATED_ATOMIC, atomicMax, v > was ? v : was)
EMULATED_INTEGERS(EMULATED_ATOMIC, atomicAnd, was& v)
EMULATED_INTEGERS(EMULATED_ATOMIC, atomicOr, was | v)
EMULATED_INTEGERS(EMULATED_ATOMIC, atomicXor, was ^ v)
EMULATED_ATOMIC(atomicInc, unsigned, was >= v ? 0 : was + 1)
EMULATED_ATOMIC(atomicDec, unsigned, was == 0 || was > v ? v : was - 1)

#define EMULATED_SWAP(type)                                                             \
  EMULATED_CALL type atomicCAS(type* p, type expected, type v) {                        \
    return emulated::exchange(p, EMULATED_FRAME, [=](type was) EMULATED_PLAIN -> type { \
      return was == expected ? v : was;                                                 \
    });                                                                                 \
  }
EMULATED_SWAP(int)
EMULATED_SWAP(unsigned)
EMULATED_SWAP(unsigned long long)
EMULATED_SWAP(unsigned short)
