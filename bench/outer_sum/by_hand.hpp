#pragma once
// The sum of all products of two rows, computed as the product of their sums.

#include <cstddef>  // std::size_t

void outer_sum_by_hand(const double* x, const double* y, double* out, std::size_t begin,
                       std::size_t end, std::size_t columns);
