// expect: sinter::bmm\(lhs, rhs\) requires lhs.shape\[0\] == rhs.shape\[0\]
#include <sinter/trace/ops/typed/product.hpp>

using namespace sinter;

auto product(TensorOf<float, "batch", 2, 3> x, TensorOf<float, "time", 3, 2> y) {
  return bmm(x, y);
}
