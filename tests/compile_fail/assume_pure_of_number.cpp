// expect: sinter::grad\(f\), vmap\(f\) and their like require f to be a function
#include <sinter/trace/interop/host.hpp>

sinter::Tensor promise(const sinter::Tensor& x) { return sinter::assume_pure(4)(x); }
