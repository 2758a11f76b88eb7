#include <doctest/doctest.h>
#include <sinter/base/container/function_ref.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

int twice(int x) { return 2 * x; }

int apply(FunctionRef<int(int)> function, int x) { return function(x); }

int forward(FunctionRef<int(int)> function, int x) { return apply(function, x); }

}  // namespace

TEST_CASE("function_ref: calls functions, pointers to them and closures") {
  CHECK(apply(twice, 4) == 8);
  CHECK(apply(&twice, 4) == 8);
  int calls = 0;
  auto counted = [&calls](int x) {
    ++calls;
    return x + 1;
  };
  CHECK(forward(counted, 4) == 5);
  CHECK(forward([](int x) { return -x; }, 4) == -4);
  CHECK(calls == 1);
}
