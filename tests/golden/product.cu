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
INLINE float tanh_f32(float v) { return tanhf(v); }
extern "C" __global__ void __launch_bounds__(128, 1) product_695cd12b(const float* in0,
    const float* in1, const float* in2, float* out3, Context* context) {
  const int tasks = 1024;
  for (int task = (int)blockIdx.x * blockDim.x + threadIdx.x; task < tasks; task +=
      (int)gridDim.x * blockDim.x) {
    int i1 = (task % 64) * 2;
    int i0 = (task / 64) * 4;
    const float* const p0_0 = in0 + (64*i0);
    const float* const p0_1 = in0 + (64*i0 + 64);
    const float* const p0_2 = in0 + (64*i0 + 128);
    const float* const p0_3 = in0 + (64*i0 + 192);
    float* const p7_0 = out3 + (128*i0);
    float* const p7_1 = out3 + (128*i0 + 128);
    float* const p7_2 = out3 + (128*i0 + 256);
    float* const p7_3 = out3 + (128*i0 + 384);
    const float* const p1_0 = in1 + i1;
    const float* const p1_1 = in1 + (i1 + 1);
    float a3_0_0 = 0x0p+0f;
    float a3_0_1 = 0x0p+0f;
    float a3_1_0 = 0x0p+0f;
    float a3_1_1 = 0x0p+0f;
    float a3_2_0 = 0x0p+0f;
    float a3_2_1 = 0x0p+0f;
    float a3_3_0 = 0x0p+0f;
    float a3_3_1 = 0x0p+0f;
    for (int k0 = 0; k0 < 64; ++k0) {
      const float v0_0 = p0_0[k0];                              // input
      const float v0_1 = p0_1[k0];                              // input
      const float v0_2 = p0_2[k0];                              // input
      const float v0_3 = p0_3[k0];                              // input
      const float v1_0 = p1_0[(128*k0)];                        // input
      const float v1_1 = p1_1[(128*k0)];                        // input
      const float v2_0_0 = v0_0 * v1_0;                         // mul
      const float v2_0_1 = v0_0 * v1_1;                         // mul
      const float v2_1_0 = v0_1 * v1_0;                         // mul
      const float v2_1_1 = v0_1 * v1_1;                         // mul
      const float v2_2_0 = v0_2 * v1_0;                         // mul
      const float v2_2_1 = v0_2 * v1_1;                         // mul
      const float v2_3_0 = v0_3 * v1_0;                         // mul
      const float v2_3_1 = v0_3 * v1_1;                         // mul
      a3_0_0 = a3_0_0 + v2_0_0;                                 // sum
      a3_0_1 = a3_0_1 + v2_0_1;                                 // sum
      a3_1_0 = a3_1_0 + v2_1_0;                                 // sum
      a3_1_1 = a3_1_1 + v2_1_1;                                 // sum
      a3_2_0 = a3_2_0 + v2_2_0;                                 // sum
      a3_2_1 = a3_2_1 + v2_2_1;                                 // sum
      a3_3_0 = a3_3_0 + v2_3_0;                                 // sum
      a3_3_1 = a3_3_1 + v2_3_1;                                 // sum
    }
    const float v3_0_0 = a3_0_0;                                // sum
    const float v3_0_1 = a3_0_1;                                // sum
    const float v3_1_0 = a3_1_0;                                // sum
    const float v3_1_1 = a3_1_1;                                // sum
    const float v3_2_0 = a3_2_0;                                // sum
    const float v3_2_1 = a3_2_1;                                // sum
    const float v3_3_0 = a3_3_0;                                // sum
    const float v3_3_1 = a3_3_1;                                // sum
    const float v4_0 = in2[i1];                                 // input
    const float v4_1 = in2[(i1 + 1)];                           // input
    const float v5_0_0 = v3_0_0 + v4_0;                         // add
    const float v5_0_1 = v3_0_1 + v4_1;                         // add
    const float v5_1_0 = v3_1_0 + v4_0;                         // add
    const float v5_1_1 = v3_1_1 + v4_1;                         // add
    const float v5_2_0 = v3_2_0 + v4_0;                         // add
    const float v5_2_1 = v3_2_1 + v4_1;                         // add
    const float v5_3_0 = v3_3_0 + v4_0;                         // add
    const float v5_3_1 = v3_3_1 + v4_1;                         // add
    const float v6_0_0 = tanh_f32(v5_0_0);                      // tanh
    const float v6_0_1 = tanh_f32(v5_0_1);                      // tanh
    const float v6_1_0 = tanh_f32(v5_1_0);                      // tanh
    const float v6_1_1 = tanh_f32(v5_1_1);                      // tanh
    const float v6_2_0 = tanh_f32(v5_2_0);                      // tanh
    const float v6_2_1 = tanh_f32(v5_2_1);                      // tanh
    const float v6_3_0 = tanh_f32(v5_3_0);                      // tanh
    const float v6_3_1 = tanh_f32(v5_3_1);                      // tanh
    p7_0[i1] = v6_0_0;
    p7_0[(i1 + 1)] = v6_0_1;
    p7_1[i1] = v6_1_0;
    p7_1[(i1 + 1)] = v6_1_1;
    p7_2[i1] = v6_2_0;
    p7_2[(i1 + 1)] = v6_2_1;
    p7_3[i1] = v6_3_0;
    p7_3[(i1 + 1)] = v6_3_1;
  }
}
