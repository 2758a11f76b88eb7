// expect: sinter::einsum<equation>\(x, ...\) requires a letter for each axis of each operand
#include <sinter/trace/ops/typed/einsum.hpp>

using namespace sinter;

auto product(TensorOf<float, 2, 3> x) { return einsum<"i->i">(x); }
