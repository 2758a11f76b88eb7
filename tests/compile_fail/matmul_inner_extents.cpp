// expect: sinter::matmul\(lhs, rhs\) requires lhs.shape\[-1\] == rhs.shape\[-2\]
#include <sinter/trace/ops/typed/product.hpp>

using namespace sinter;

auto product(TensorOf<float, "batch", 128> x, TensorOf<float, 64, 3> w) { return matmul(x, w); }
