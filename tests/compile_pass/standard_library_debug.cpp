// options: -USINTER_COMPILED -D_GLIBCXX_DEBUG
// test: deep
#include <sinter/sinter.hpp>

using namespace sinter;

Tensor use(const Tensor& x) {
  return compile([](const Tensor& y) { return exp(y) + 1; })(x);
}
