// expect: sinter::cross_entropy\(logits, target\) requires target.shape == logits.shape
#include <sinter/trace/functional/row.hpp>

using namespace sinter;

auto loss(TensorOf<float, "batch", 10> x, TensorOf<std::int64_t, "time"> y) {
  return cross_entropy(x, y);
}
