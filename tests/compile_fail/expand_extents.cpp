// expect: sinter::expand<Dim...>\(x\) requires extents of x that are 1 or stay
#include <sinter/trace/ops/typed/movement.hpp>

using namespace sinter;

auto more(TensorOf<float, "batch", 3> x) { return expand<"batch", 4>(x); }
