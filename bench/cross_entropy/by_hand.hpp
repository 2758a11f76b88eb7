#pragma once
// The loss of each row, and the gradient of their mean, handwritten.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int64_t

/// Over rows begin..end of `rows`, of `columns` floats each.
void cross_entropy_by_hand(const float* x, const std::int64_t* target, float* losses,
                           float* gradient, std::size_t begin, std::size_t end, std::size_t rows,
                           std::size_t columns);
