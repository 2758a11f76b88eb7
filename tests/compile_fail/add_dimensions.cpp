// expect: requires dimensions that broadcast
#include <sinter/trace/ops/typed/tensor.hpp>

using namespace sinter;

auto sum(TensorOf<float, "batch", 3> x, TensorOf<float, "time", 3> y) { return x + y; }
