// expect: sinter::linear\(x, weight, bias\) requires bias.shape == \{weight.shape\[0\]\}
#include <sinter/trace/ops/typed/product.hpp>

using namespace sinter;

auto layer(TensorOf<float, "n", 8> x, TensorOf<float, 10, 8> weight, TensorOf<float, 8> bias) {
  return linear(x, weight, bias);
}
