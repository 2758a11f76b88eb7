#include <doctest/doctest.h>
#include <sinter/jit/interface/parts.hpp>

#include "jit/support.hpp"

using namespace testing;

namespace {

// A program that includes core.hpp alone, header-only.
class WithoutParts {
 public:
  WithoutParts() : kept_(std::exchange(jit::parts(), {})) {}
  WithoutParts(const WithoutParts&) = delete;
  WithoutParts& operator=(const WithoutParts&) = delete;
  ~WithoutParts() { jit::parts() = kept_; }

 private:
  jit::Parts kept_;
};

}  // namespace

TEST_CASE("parts: a check of numerics that was left out is an error, with the header to include") {
  const WithoutParts core;
  ++jit::numerics_checks();
  const auto f = compile([](const Tensor& x) { return x * 2.0f; });
  const Tensor x = ones({3});
  const std::string compiled = message_of<ValueError>([&] { f(x); });
  const std::string evaluated = message_of<ValueError>([&] { (x * 3.0f)[0].item<float>(); });
  --jit::numerics_checks();
  for (const std::string& told : {compiled, evaluated}) {
    CHECK(contains(told, "SINTER_CHECK=nan"));
    CHECK(contains(told, "include <sinter/sinter.hpp>"));
  }
}

TEST_CASE("parts: functions and random numbers work without them") {
  const WithoutParts core;
  const auto f = compile([](const Tensor& x) { return sum(tanh(x) * 2.0f); });
  CHECK(f(zeros({3})).item<float>() == 0);
  CHECK(f(zeros({3})).item<float>() == 0);
  CHECK(randn({3}).size(0) == 3);
}
