// expect: sinter::squeeze<axes...>\(x\) requires extents of 1
#include <sinter/trace/ops/typed/movement.hpp>

using namespace sinter;

auto flat(TensorOf<float, "batch", 3> x) { return squeeze<1>(x); }
