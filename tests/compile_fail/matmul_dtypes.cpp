// expect: sinter::matmul\(lhs, rhs\) requires operands of one dtype
#include <sinter/trace/ops/typed/product.hpp>

using namespace sinter;

auto product(TensorOf<float, "batch", 64> x, TensorOf<double, 64, 3> w) { return matmul(x, w); }
