#include "by_hand.hpp"

#include "float_vectors.hpp"

namespace {

constexpr int sums = 12;  // more than the latency of a multiply-add, twice a cycle

}  // namespace

float multiply_adds(long count) {
  typedef float Vector __attribute__((vector_size(sizeof(bench::Floats))));
  Vector a0{}, a1{}, a2{}, a3{}, a4{}, a5{}, a6{}, a7{}, a8{}, a9{}, a10{}, a11{};
  Vector x{}, y{};
  asm volatile("" : "+v"(x), "+v"(y));  // of which the compiler knows nothing
  for (long i = 0; i < count; i += static_cast<long>(sums * bench::width)) {
    a0 += x * y, a1 += x * y, a2 += x * y, a3 += x * y, a4 += x * y, a5 += x * y;
    a6 += x * y, a7 += x * y, a8 += x * y, a9 += x * y, a10 += x * y, a11 += x * y;
    asm volatile(""
                 : "+v"(a0), "+v"(a1), "+v"(a2), "+v"(a3), "+v"(a4), "+v"(a5), "+v"(a6), "+v"(a7),
                   "+v"(a8), "+v"(a9), "+v"(a10), "+v"(a11));
    asm volatile("" : "+v"(x), "+v"(y));
  }
  const Vector all = a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + a10 + a11;
  return all[0];
}
