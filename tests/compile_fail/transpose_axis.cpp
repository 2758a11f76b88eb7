// expect: sinter::transpose<a, b>\(x\) requires -x.ndim\(\) <= axis < x.ndim\(\)
#include <sinter/trace/ops/typed/movement.hpp>

using namespace sinter;

auto turned(TensorOf<float, "batch", 64> x) { return transpose<0, 2>(x); }
