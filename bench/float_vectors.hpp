#pragma once
// Vectors of floats for handwritten loops, and non-temporal stores.

#include <cstddef>  // std::size_t
#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace bench {

#if defined(__AVX512F__)
using Floats = __m512;
inline Floats load(const float* from) { return _mm512_loadu_ps(from); }
inline void store(float* to, Floats value) { _mm512_storeu_ps(to, value); }
inline void stream(float* to, Floats value) { _mm512_stream_ps(to, value); }
#elif defined(__AVX__)
using Floats = __m256;
inline Floats load(const float* from) { return _mm256_loadu_ps(from); }
inline void store(float* to, Floats value) { _mm256_storeu_ps(to, value); }
inline void stream(float* to, Floats value) { _mm256_stream_ps(to, value); }
#else
using Floats = float;
inline Floats load(const float* from) { return *from; }
inline void store(float* to, Floats value) { *to = value; }
inline void stream(float* to, Floats value) { *to = value; }
#endif

inline constexpr std::size_t width = sizeof(Floats) / sizeof(float);

/// Other threads see non-temporal stores from here on.
inline void end_of_stream() {
#ifdef __x86_64__
  _mm_sfence();
#endif
}

}  // namespace bench
