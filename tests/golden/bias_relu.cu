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
template <class... Values>
INLINE void store_f32x4(float* p, Values... values) {
  const f32x4 v = {{(float)values...}};
  if ((unsigned long)p % sizeof(f32x4) == 0) {
    *(f32x4*)p = v;
  } else {
    for (int i = 0; i < 4; ++i) p[i] = v.lane[i];
  }
}
extern "C" __global__ void __launch_bounds__(128, 1) bias_relu_caf5731e(const float* in0,
    const float* in1, const float* in2, float* out3, long n0, long n1, Context* context) {
  const float v1 = in2[0];                                      // input
  const long tasks = (n0*((n1 + 3) / 4));
  for (long task = (long)blockIdx.x * blockDim.x + threadIdx.x; task < tasks; task +=
      (long)gridDim.x * blockDim.x) {
    long i1 = (task % ((n1 + 3) / 4)) * 4;
    const long i0 = task / ((n1 + 3) / 4);
    const float* const p0 = in0 + (n1*i0);
    float* const p8 = out3 + (n1*i0);
    if (i1 + 4 <= n1) {
      const f32x4 w0 = load_f32x4(p0 + i1);
      const float v0_0 = w0.lane[0];                            // input
      const float v0_1 = w0.lane[1];                            // input
      const float v0_2 = w0.lane[2];                            // input
      const float v0_3 = w0.lane[3];                            // input
      const float v2_0 = v0_0 * v1;                             // mul
      const float v2_1 = v0_1 * v1;                             // mul
      const float v2_2 = v0_2 * v1;                             // mul
      const float v2_3 = v0_3 * v1;                             // mul
      const f32x4 w3 = load_f32x4(in1 + i1);
      const float v3_0 = w3.lane[0];                            // input
      const float v3_1 = w3.lane[1];                            // input
      const float v3_2 = w3.lane[2];                            // input
      const float v3_3 = w3.lane[3];                            // input
      const float v4_0 = v2_0 + v3_0;                           // add
      const float v4_1 = v2_1 + v3_1;                           // add
      const float v4_2 = v2_2 + v3_2;                           // add
      const float v4_3 = v2_3 + v3_3;                           // add
      const bool v6_0 = v4_0 < 0x0p+0f;                         // lt
      const bool v6_1 = v4_1 < 0x0p+0f;                         // lt
      const bool v6_2 = v4_2 < 0x0p+0f;                         // lt
      const bool v6_3 = v4_3 < 0x0p+0f;                         // lt
      const float v7_0 = v6_0 ? 0x0p+0f : v4_0;                 // select
      const float v7_1 = v6_1 ? 0x0p+0f : v4_1;                 // select
      const float v7_2 = v6_2 ? 0x0p+0f : v4_2;                 // select
      const float v7_3 = v6_3 ? 0x0p+0f : v4_3;                 // select
      store_f32x4(p8 + i1, v7_0, v7_1, v7_2, v7_3);
    }
    else for (; i1 < n1; ++i1) {
      const float v0 = p0[i1];                                  // input
      const float v2 = v0 * v1;                                 // mul
      const float v3 = in1[i1];                                 // input
      const float v4 = v2 + v3;                                 // add
      const bool v6 = v4 < 0x0p+0f;                             // lt
      const float v7 = v6 ? 0x0p+0f : v4;                       // select
      p8[i1] = v7;
    }
  }
}
