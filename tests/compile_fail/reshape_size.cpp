// expect: sinter::reshape<Dim...>\(x\) requires as many elements as x has
#include <sinter/trace/ops/typed/movement.hpp>

using namespace sinter;

auto rows(TensorOf<float, "batch", 64> x) { return reshape<"batch", 8, 9>(x); }
