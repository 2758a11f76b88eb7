#include "by_hand.hpp"

#include "float_vectors.hpp"

namespace {

using bench::Floats;

// Applies `compute` to each vector; all sizes here are multiples of a vector.
template <class Compute>
void loop(const float* x, const float* y, float* out, std::size_t begin, std::size_t end,
          bool streams, Compute compute) {
  if (streams) {
    for (std::size_t i = begin; i < end; i += bench::width) {
      bench::stream(out + i, compute(bench::load(x + i), bench::load(y + i)));
    }
    bench::end_of_stream();
  } else {
    for (std::size_t i = begin; i < end; i += bench::width) {
      bench::store(out + i, compute(bench::load(x + i), bench::load(y + i)));
    }
  }
}

}  // namespace

void multiply_adds(const float* x, const float* y, float* out, std::size_t begin, std::size_t end,
                   bool streams) {
  loop(x, y, out, begin, end, streams, [](Floats a, Floats b) {
    Floats value = a;
    for (int i = 0; i < 8; ++i) value = value * b + a;
    return value;
  });
}

void two_products(const float* x, const float* y, float* out, std::size_t begin, std::size_t end,
                  bool streams) {
  loop(x, y, out, begin, end, streams, [](Floats a, Floats b) { return (a * b + a) * b; });
}
