// expect: sinter::while_loop\(.*\) requires two functions that take the whole state
#include <sinter/trace/transform/control.hpp>
#include <sinter/trace/ops/elementwise/operators.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

auto halve(const sinter::Tensor& x) {
  return sinter::while_loop([](const sinter::Tensor& a) { return sum(a) > 1; },
                            [](const sinter::Tensor& a, const sinter::Tensor& b) {
                              return std::tuple{a / 2, b + 1};
                            },
                            x, 0);
}
