#pragma once
// Mathematical functions by hand: the C library's in a loop, of which the compiler makes calls of
// its vector functions where it has them.

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
