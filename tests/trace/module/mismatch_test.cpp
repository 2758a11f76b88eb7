#include <sinter/trace/module/mismatch.hpp>

#include "testing.hpp"

using namespace testing;

namespace {

using Parameters = std::tuple<const Tensor&, Tensor&>;

template <class... Args>
constexpr bool is(Mismatch kind, std::size_t argument) {
  const CallMismatch found = mismatch_of_arguments<Parameters, Args...>();
  return found.kind == kind && found.argument == argument;
}

static_assert(is<const Tensor&>(Mismatch::few, 0));
static_assert(is<const Tensor&, Tensor&, int>(Mismatch::many, 0));
static_assert(is<const Tensor&, const Tensor&>(Mismatch::constant, 2));
static_assert(is<const Tensor&, Tensor&&>(Mismatch::temporary, 2));
static_assert(is<std::string, Tensor&>(Mismatch::type, 1));

struct Plain {};

}  // namespace

TEST_CASE("mismatch: what has a call is told from what has none") {
  const auto any = [](auto x) { return x; };
  CHECK(has_call<decltype(any)>());
  CHECK(has_call<Tensor (*)(const Tensor&)>());
  CHECK_FALSE(has_call<Plain>());
  CHECK_FALSE(has_call<int>());
}
