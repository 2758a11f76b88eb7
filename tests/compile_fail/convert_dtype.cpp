// expect: sinter::TensorOf<T, Dim...>\(expression\) requires an expression of T
#include <sinter/trace/ops/typed/tensor.hpp>

using namespace sinter;

TensorOf<float, 4> sum(TensorOf<double, 4> x, TensorOf<float, 4> y) { return x + y; }
