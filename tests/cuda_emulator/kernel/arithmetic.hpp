#pragma once
// CUDA arithmetic functions: conversions, bit casts, and the functions of <math.h>.

#define EMULATED_ONE(name)                                         \
  inline float name##f(float v) { return __builtin_##name##f(v); } \
  inline double name(double v) { return __builtin_##name(v); }
#define EMULATED_TWO(name)                                                     \
  inline float name##f(float a, float b) { return __builtin_##name##f(a, b); } \
  inline double name(double a, double b) { return __builtin_##name(a, b); }
// clang-format off
#define EMULATED_ALL_ONE(_) _(fabs) _(exp) _(exp2) _(expm1) _(log) _(log2) _(log10) _(log1p) \
  _(sin) _(cos) _(tan) _(asin) _(acos) _(atan) _(sinh) _(cosh) _(tanh) _(asinh) _(acosh) \
  _(atanh) _(erf) _(erfc) _(sqrt) _(cbrt) _(floor) _(ceil) _(trunc) _(round) _(rint) _(nearbyint) \
  _(lgamma) _(tgamma)
#define EMULATED_ALL_TWO(_) _(fmod) _(pow) _(fmin) _(fmax) _(copysign) _(atan2) _(hypot) _(fdim) \
  _(remainder)
// clang-format on
// Not every compiler has a builtin for these.
extern "C" float emulated_exp10f(float v) __asm__("exp10f");
extern "C" double emulated_exp10(double v) __asm__("exp10");
extern "C++" {
namespace emulated_math {
EMULATED_ALL_ONE(EMULATED_ONE)
EMULATED_ALL_TWO(EMULATED_TWO)
inline float exp10f(float v) { return emulated_exp10f(v); }
inline double exp10(double v) { return emulated_exp10(v); }
inline float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline float ldexpf(float v, int e) { return __builtin_ldexpf(v, e); }
inline double ldexp(double v, int e) { return __builtin_ldexp(v, e); }
inline float rsqrtf(float v) { return 1 / __builtin_sqrtf(v); }
inline double rsqrt(double v) { return 1 / __builtin_sqrt(v); }
inline float __expf(float v) { return __builtin_expf(v); }
inline float __logf(float v) { return __builtin_logf(v); }
inline float __log2f(float v) { return __builtin_log2f(v); }
inline float __sinf(float v) { return __builtin_sinf(v); }
inline float __cosf(float v) { return __builtin_cosf(v); }
inline float __powf(float a, float b) { return __builtin_powf(a, b); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __frcp_rn(float v) { return 1 / v; }
inline float __fsqrt_rn(float v) { return __builtin_sqrtf(v); }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
}  // namespace emulated_math
}
using namespace emulated_math;

template <class T>
inline T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
inline T max(T a, T b) {
  return a < b ? b : a;
}

// Bit casts.
template <class To, class From>
EMULATED_PLAIN inline To emulated_as(From v) {
  return emulated::loaded<To>(&v);
}
inline float __int_as_float(int v) { return emulated_as<float>(v); }
inline float __uint_as_float(unsigned v) { return emulated_as<float>(v); }
inline int __float_as_int(float v) { return emulated_as<int>(v); }
inline unsigned __float_as_uint(float v) { return emulated_as<unsigned>(v); }
inline double __longlong_as_double(long long v) { return emulated_as<double>(v); }
inline long long __double_as_longlong(double v) { return emulated_as<long long>(v); }
inline double __hiloint2double(int high, int low) {
  return __longlong_as_double((long long)(unsigned)high << 32 | (unsigned)low);
}
inline int __popc(unsigned v) { return __builtin_popcount(v); }
inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
inline int __clz(int v) { return v == 0 ? 32 : __builtin_clz((unsigned)v); }
inline int __clzll(long long v) { return v == 0 ? 64 : __builtin_clzll((unsigned long long)v); }
inline int __ffs(int v) { return __builtin_ffs(v); }
inline int __ffsll(long long v) { return __builtin_ffsll(v); }
inline unsigned __brev(unsigned v) {
  unsigned r = 0;
  for (int i = 0; i < 32; ++i) r |= (v >> i & 1) << (31 - i);
  return r;
}
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned select) {
  const unsigned long long both = (unsigned long long)b << 32 | a;
  unsigned r = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned s = select >> 4 * i & 15, byte = (unsigned)(both >> 8 * (s & 7)) & 255;
    r |= (s & 8 ? (byte & 128 ? 255u : 0u) : byte) << 8 * i;
  }
  return r;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
  return (unsigned)(((unsigned long long)high << 32 | low) << (by & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
  return (unsigned)(((unsigned long long)high << 32 | low) >> (by & 31));
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return (unsigned)((unsigned long long)a * b >> 32);
}
inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }

// Conversions saturate; NaN becomes 0 in 32 bits, and the smallest integer in 64.
template <class To>
inline To emulated_saturated(double v, double limit, To most, To of_nan) {
  if (v != v) return of_nan;
  return v >= limit ? most : v < -limit ? -most - 1 : (To)v;
}
inline int __double2int_rz(double v) { return emulated_saturated(v, 0x1p31, 0x7fffffff, 0); }
inline int __float2int_rz(float v) { return __double2int_rz(v); }
inline int __double2int_rn(double v) { return __double2int_rz(__builtin_rint(v)); }
inline int __float2int_rn(float v) { return __double2int_rz(__builtin_rint(v)); }
inline int __float2int_rd(float v) { return __double2int_rz(__builtin_floor(v)); }
inline int __float2int_ru(float v) { return __double2int_rz(__builtin_ceil(v)); }
inline long long __double2ll_rz(double v) {
  const long long most = 0x7fffffffffffffffll;
  return emulated_saturated(v, 0x1p63, most, -most - 1);
}
inline long long __float2ll_rz(float v) { return __double2ll_rz(v); }
inline long long __double2ll_rn(double v) { return __double2ll_rz(__builtin_rint(v)); }
inline unsigned __double2uint_rz(double v) {
  return !(v > 0) ? 0 : v >= 0x1p32 ? ~0u : (unsigned)v;
}
inline unsigned __float2uint_rz(float v) { return __double2uint_rz(v); }
inline unsigned __float2uint_rn(float v) { return __double2uint_rz(__builtin_rint(v)); }
inline float __int2float_rn(int v) { return (float)v; }
inline float __uint2float_rn(unsigned v) { return (float)v; }
inline float __ll2float_rn(long long v) { return (float)v; }
inline double __ll2double_rn(long long v) { return (double)v; }
inline float __double2float_rn(double v) { return (float)v; }
#define __builtin_unreachable() __trap()
