// expect: sinter::linear\(x, weight\) requires x.shape\[-1\] == weight.shape\[1\]
#include <sinter/trace/ops/typed/product.hpp>

using namespace sinter;

auto layer(TensorOf<float, "batch", 128> x, TensorOf<float, 10, 64> weight) {
  return linear(x, weight);
}
