// expect: sinter::mse_loss\(x, target\) requires x and target of the same dimensions
#include <sinter/trace/functional/row.hpp>

using namespace sinter;

auto loss(TensorOf<float, "batch", 3> x, TensorOf<float, "batch", 1> y) { return mse_loss(x, y); }
