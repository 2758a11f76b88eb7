#include <sinter/jit/interface/misfit.hpp>
#include <sinter/nn/linear.hpp>

#include "trace/testing.hpp"

using namespace testing;

namespace {

using jit::Misfit;

struct Changing {
  Tensor weight;
  SINTER_MODULE(Changing, weight)
  Tensor forward(const Tensor& x) { return weight = weight + x; }
};
struct PlainStruct {
  int count = 0;
};

template <class F, class... Args>
constexpr bool is(Misfit kind, std::size_t argument) {
  const jit::CallMisfit found = jit::misfit<F, Args...>();
  return found.kind == kind && found.argument == argument;
}

using Two = Tensor (*)(const Tensor&, Tensor&);
using Moved = Tensor (*)(Tensor&&, double);

static_assert(is<Two, const Tensor&, Tensor&>(Misfit::none, 0));
static_assert(is<Two, const Tensor&>(Misfit::few, 0));
static_assert(is<Two, const Tensor&, Tensor&, int>(Misfit::many, 0));
static_assert(is<Two, const Tensor&, const Tensor&>(Misfit::constant, 2));
static_assert(is<Two, const Tensor&, Tensor&&>(Misfit::temporary, 2));
static_assert(is<Two, std::string, Tensor&>(Misfit::type, 1));
static_assert(is<Two, const Tensor&, PlainStruct&>(Misfit::unlisted, 2));
static_assert(is<Two, const std::vector<PlainStruct>&, Tensor&>(Misfit::unlisted, 1));
static_assert(is<Moved, Tensor&&, int>(Misfit::none, 0));
static_assert(is<Moved, Tensor&, int>(Misfit::lvalue, 1));
static_assert(is<Changing, const Tensor&>(Misfit::none, 0));
static_assert(is<const Changing, const Tensor&>(Misfit::function, 0));
static_assert(is<nn::Linear, const Tensor&, int>(Misfit::many, 0));

}  // namespace

TEST_CASE("misfit: a callable has a call, overloads and templates included") {
  const auto any = [](auto x) { return x; };
  CHECK(has_call<decltype(any)>());
  CHECK(has_call<nn::Linear>());
  CHECK(has_call<Two>());
  CHECK_FALSE(has_call<PlainStruct>());
  CHECK_FALSE(has_call<int>());
  CHECK(has_forward<Changing>());
  CHECK_FALSE(has_forward<PlainStruct>());
}
