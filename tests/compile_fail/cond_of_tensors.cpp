// expect: sinter::cond\(.*\) requires f to be a function of the operands; where
#include <sinter/trace/transform/control.hpp>
#include <sinter/trace/ops/elementwise/operators.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

sinter::Tensor choose(const sinter::Tensor& x) { return sinter::cond(sum(x) > 0, x, -x); }
