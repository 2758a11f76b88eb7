// expect: sinter::grad\(f\), vmap\(f\) and their like require f to be a function, a lambda, a
#include <sinter/trace/transform/checkpoint.hpp>

sinter::Tensor again(const sinter::Tensor& x) { return sinter::checkpoint(4)(x); }
