#include "by_hand.hpp"

void outer_sum_by_hand(const double* x, const double* y, double* out, std::size_t begin,
                       std::size_t end, std::size_t columns) {
  for (std::size_t row = begin; row < end; ++row) {
    double first = 0, second = 0;
    for (std::size_t i = 0; i < columns; ++i) {
      first += x[row * columns + i];
      second += y[row * columns + i];
    }
    out[row] = first * second;
  }
}
