// expect: sinter::einsum<equation>\(x, ...\) requires one extent for each letter
#include <sinter/trace/ops/typed/einsum.hpp>

using namespace sinter;

auto product(TensorOf<float, 2, 3> x, TensorOf<float, 4, 5> y) { return einsum<"ij,jk->ik">(x, y); }
