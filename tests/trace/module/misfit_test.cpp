#include <sinter/trace/module/misfit.hpp>

#include "testing.hpp"

using namespace testing;

namespace {

using Parameters = std::tuple<const Tensor&, Tensor&>;

template <class... Args>
constexpr bool is(Misfit kind, std::size_t argument) {
  const CallMisfit found = misfit_of_arguments<Parameters, Args...>();
  return found.kind == kind && found.argument == argument;
}

static_assert(is<const Tensor&>(Misfit::few, 0));
static_assert(is<const Tensor&, Tensor&, int>(Misfit::many, 0));
static_assert(is<const Tensor&, const Tensor&>(Misfit::constant, 2));
static_assert(is<const Tensor&, Tensor&&>(Misfit::temporary, 2));
static_assert(is<std::string, Tensor&>(Misfit::type, 1));

struct Plain {};

}  // namespace

TEST_CASE("misfit: what has a call is told from what has none") {
  const auto any = [](auto x) { return x; };
  CHECK(has_call<decltype(any)>());
  CHECK(has_call<Tensor (*)(const Tensor&)>());
  CHECK_FALSE(has_call<Plain>());
  CHECK_FALSE(has_call<int>());
}
