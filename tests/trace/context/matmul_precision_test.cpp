// test: moved
#include <doctest/doctest.h>
#include <sinter/sinter.hpp>

#include <string>
#include <vector>

#include "message_of.hpp"

using namespace sinter;
using namespace sinter::detail;

namespace {

/// Restores the precision at the end of a test.
struct Restored {
  ~Restored() { set_float32_matmul_precision(MatmulPrecision::highest); }
};

using errors::message_of;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("matmul_precision: it is highest, and then what was set, by value or by name") {
  const Restored restored;
  CHECK(get_float32_matmul_precision() == MatmulPrecision::highest);
  set_float32_matmul_precision(MatmulPrecision::high);
  CHECK(get_float32_matmul_precision() == MatmulPrecision::high);
  for (const std::string name : {"medium", "highest", "high"}) {
    set_float32_matmul_precision(name);
    CHECK(to_string(get_float32_matmul_precision()) == name);
  }
}

TEST_CASE("matmul_precision: other names are refused, and change nothing") {
  const std::string message = message_of([] { set_float32_matmul_precision("higher"); });
  for (const std::string part : {"\"higher\"", "\"highest\", \"high\" or \"medium\""}) {
    CHECK(has(message, part));
  }
  CHECK(has(message, "matmul_precision_test.cpp"));
  CHECK(get_float32_matmul_precision() == MatmulPrecision::highest);
}

TEST_CASE("matmul_precision: a compiled function does not set it") {
  const auto f = compile([](const Tensor& x) {
    set_float32_matmul_precision("high");
    return x + 1;
  });
  CHECK(has(message_of([&] { f(ones({2})); }), "set it before the call"));
  CHECK(get_float32_matmul_precision() == MatmulPrecision::highest);
}

TEST_CASE("matmul_precision: it is guarded, and changes nothing on the host") {
  const Restored restored;
  const ScopedDevice host(cpu());
  random::manual_seed(1);
  const Tensor x = randn({20, 30}), w = randn({30, 10});
  const auto f = compile([](const Tensor& a, const Tensor& b) { return matmul(a, b); });
  const std::vector<float> first = f(x, w).to_vector<float>();
  set_float32_matmul_precision("high");
  CHECK(f(x, w).to_vector<float>() == first);
  CHECK(f.stats().variants == 2);
  REQUIRE(f.explain().recompiles.size() == 1);
  CHECK(has(f.explain().recompiles[0], "float32_matmul_precision: expected highest, found high"));
  set_float32_matmul_precision("medium");
  CHECK(f(x, w).to_vector<float>() == first);
  set_float32_matmul_precision("highest");
  CHECK(f(x, w).to_vector<float>() == first);
  CHECK(f.stats().variants == 2);
  CHECK(f.stats().recompiles == 1);
}
