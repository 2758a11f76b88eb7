// test: deep emulator
// bisect() and the check of numerics where tensors are on a GPU.

#include <doctest/doctest.h>

#include <cstdio>
#include <string>

#include "cuda_emulator/gpus.hpp"
#include "planted_cases.hpp"

using namespace sinter;
using namespace sinter::detail;

namespace {

Tensor peak(const Tensor& x) { return exp(x) * max(sin(x), 1, true) + 1; }

}  // namespace

TEST_CASE("bisect on a GPU: a wrong kernel, and nothing wrong") {
  SINTER_GPUS(gpus, 1);
  const Tensor x = planted::ramp({4, 4}, 0.3f, 0.11f).to(cuda());
  const auto f = compile(peak);
  CHECK_FALSE(bisect(f, x).found);
  const planted::Plant plant(planted::fault_of("a max is a min"));
  const Bisection found = bisect(f, x);
  CAPTURE(to_string(found));
  CHECK(found.stage == "kernels");
  CHECK(found.operation == "max");
}

TEST_CASE("bisect on a GPU: a text that NVRTC refuses, minified") {
  SINTER_GPUS(gpus, 1);
  const planted::Fault refused{.name = "refused",
                               .in = planted::Fault::In::text,
                               .printed = "extern \"C\" ",
                               .instead = "#error planted\nextern \"C\" ",
                               .only = "max"};
  const planted::Plant plant(refused);
  const Tensor x = planted::ramp({4, 4}, 0.3f, 0.11f).to(cuda());
  const auto f = compile(peak);
  const Bisection found = bisect(f, x);
  CAPTURE(to_string(found));
  CHECK(found.stage == "NVRTC");
  CHECK(found.culprit.find("max") != std::string::npos);
}

TEST_CASE("check_numerics on a GPU: the operation that makes infinity") {
  SINTER_GPUS(gpus, 1);
  const auto f = compile([](const Tensor& x) { return log(x) * 2; });
  const Tensor x = from_vector<float>({1, 0}, {2}).to(cuda());
  const ScopedNumericsCheck check;
  std::string error;
  try {
    f(x);
  } catch (const ValueError& found) {
    error = found.what();
  }
  CHECK(error.find("the result of log is -inf") != std::string::npos);
  CHECK(error.find("element [1]") != std::string::npos);
}
