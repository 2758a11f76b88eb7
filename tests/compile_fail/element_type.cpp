// expect: sinter::TensorOf<T, Dim...> requires T to be one of sinter::ElementTypes
#include <sinter/trace/ops/typed/tensor.hpp>

using namespace sinter;

void take(TensorOf<long double, 4> x) { x.tensor(); }
