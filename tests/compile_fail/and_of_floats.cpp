// expect: requires a dtype that the operation takes: integers or boolean for & . \^ ~
#include <sinter/trace/ops/typed/tensor.hpp>

using namespace sinter;

auto both(TensorOf<float, "batch"> x, TensorOf<float, "batch"> y) { return x & y; }
