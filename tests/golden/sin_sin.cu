#define INLINE static __device__ __forceinline__
#define __builtin_inf() __longlong_as_double(0x7ff0000000000000)
#define __builtin_inff() __int_as_float(0x7f800000)
#define __builtin_nan(text) __longlong_as_double(0x7ff8000000000000)
#define __builtin_nanf(text) __int_as_float(0x7fc00000)

// What a kernel reports: 1 + the number of the check that failed, what was found, the bound
// of indices, the position of the element; a lock.
struct Context {
  long fault, value, bound, position, lock;
};
struct __align__(16) f32x4 {
  float lane[4];
};
INLINE f32x4 load_f32x4(const float* p) {
  if ((unsigned long)p % sizeof(f32x4) == 0) return *(const f32x4*)p;
  f32x4 v;
  for (int i = 0; i < 4; ++i) v.lane[i] = p[i];
  return v;
}
INLINE float sin_f32(float v) { return sinf(v); }
template <class... Values>
INLINE void store_f32x4(float* p, Values... values) {
  const f32x4 v = {{(float)values...}};
  if ((unsigned long)p % sizeof(f32x4) == 0) {
    *(f32x4*)p = v;
  } else {
    for (int i = 0; i < 4; ++i) p[i] = v.lane[i];
  }
}
extern "C" __global__ void __launch_bounds__(128, 1) sin_sin_fe6573c6(const float* in0,
    float* out1, Context* context) {
  const int tasks = 2500;
  for (int task = (int)blockIdx.x * blockDim.x + threadIdx.x; task < tasks; task +=
      (int)gridDim.x * blockDim.x) {
    int i0 = (task) * 4;
    const f32x4 w0 = load_f32x4(in0 + i0);
    const float v0_0 = w0.lane[0];                              // input
    const float v0_1 = w0.lane[1];                              // input
    const float v0_2 = w0.lane[2];                              // input
    const float v0_3 = w0.lane[3];                              // input
    const float v1_0 = sin_f32(v0_0);                           // sin
    const float v1_1 = sin_f32(v0_1);                           // sin
    const float v1_2 = sin_f32(v0_2);                           // sin
    const float v1_3 = sin_f32(v0_3);                           // sin
    const float v2_0 = sin_f32(v1_0);                           // sin
    const float v2_1 = sin_f32(v1_1);                           // sin
    const float v2_2 = sin_f32(v1_2);                           // sin
    const float v2_3 = sin_f32(v1_3);                           // sin
    store_f32x4(out1 + i0, v2_0, v2_1, v2_2, v2_3);
  }
}
