// expect: sinter::TensorOf<T, Dim...>\(expression\) requires an expression of Dim...
#include <sinter/trace/functional/activation.hpp>

using namespace sinter;

TensorOf<float, "batch", 10> activate(TensorOf<float, "batch", 64> x) { return relu(x) * 2.0f; }
