// expect: sinter::permute<axes...>\(x\) requires each axis of x once
#include <sinter/trace/ops/typed/movement.hpp>

using namespace sinter;

auto turned(TensorOf<float, "batch", 3, 4> x) { return permute<0, 1, 1>(x); }
