// expect: sinter::concatenate<axis>\(x, ...\) requires equal dimensions but for axis
#include <sinter/trace/ops/typed/movement.hpp>

using namespace sinter;

auto both(TensorOf<float, "batch", 3> x, TensorOf<float, "time", 3> y) {
  return concatenate<1>(x, y);
}
