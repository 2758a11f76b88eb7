#pragma once
// Mathematical functions by hand: loops over those of the C library, which the compiler turns into
// calls of vector functions where it has them.

#include <cstddef>  // std::size_t

template <class T>
using Loop = void (*)(const T* x, T* out, std::size_t begin, std::size_t end);

/// out[i] = f(x[i]) in two precisions.
struct Loops {
  const char* name;
  Loop<float> single;
  Loop<double> wide;
};

inline constexpr std::size_t function_count = 12;
extern const Loops loops_by_hand[function_count];
