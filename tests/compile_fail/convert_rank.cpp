// expect: sinter::TensorOf<T, Dim...>\(expression\) requires an expression of Dim...
#include <sinter/trace/ops/typed/reduce.hpp>

using namespace sinter;

TensorOf<float, "batch"> total(TensorOf<float, "batch", 4> x) { return sum(x); }
