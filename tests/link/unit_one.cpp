// Has the definitions of all of sinter.

#include "unit_one.hpp"

#include <sinter/sinter.hpp>

namespace unit_one {

sinter::detail::Hash hash_of(const char* text) { return sinter::detail::hash_of(text); }

void fail(sinter::Where where) {
  throw sinter::ShapeError({.op = "one", .what = "failed on purpose", .where = where});
}

}  // namespace unit_one

float plugin_sum_of_squares(int count) {
  using namespace sinter;
  static const auto sum_of_squares = compile([](const Tensor& x) { return sum(square(x)); });
  const Tensor x = arange(count).to(f32);
  const auto loss = [&](const Tensor& y) { return sum_of_squares(y) * 0.5f; };
  const Tensor gradient = grad(loss)(x);  // x
  return sum_of_squares(gradient).item<float>();
}
