#include <sinter/jit/interface/mismatch.hpp>
#include <sinter/nn/linear.hpp>

#include "trace/testing.hpp"

using namespace testing;

namespace {

using jit::Mismatch;

struct Changing {
  Tensor weight;
  SINTER_MODULE(Changing, weight)
  Tensor forward(const Tensor& x) { return weight = weight + x; }
};
struct PlainStruct {
  int count = 0;
};

template <class F, class... Args>
constexpr bool is(Mismatch kind, std::size_t argument) {
  const jit::CallMismatch found = jit::mismatch<F, Args...>();
  return found.kind == kind && found.argument == argument;
}

using Two = Tensor (*)(const Tensor&, Tensor&);
using Moved = Tensor (*)(Tensor&&, double);

static_assert(is<Two, const Tensor&, Tensor&>(Mismatch::none, 0));
static_assert(is<Two, const Tensor&>(Mismatch::few, 0));
static_assert(is<Two, const Tensor&, Tensor&, int>(Mismatch::many, 0));
static_assert(is<Two, const Tensor&, const Tensor&>(Mismatch::constant, 2));
static_assert(is<Two, const Tensor&, Tensor&&>(Mismatch::temporary, 2));
static_assert(is<Two, std::string, Tensor&>(Mismatch::type, 1));
static_assert(is<Two, const Tensor&, PlainStruct&>(Mismatch::unlisted, 2));
static_assert(is<Two, const std::vector<PlainStruct>&, Tensor&>(Mismatch::unlisted, 1));
static_assert(is<Moved, Tensor&&, int>(Mismatch::none, 0));
static_assert(is<Moved, Tensor&, int>(Mismatch::lvalue, 1));
static_assert(is<Changing, const Tensor&>(Mismatch::none, 0));
static_assert(is<const Changing, const Tensor&>(Mismatch::function, 0));
static_assert(is<nn::Linear, const Tensor&, int>(Mismatch::many, 0));

}  // namespace

TEST_CASE("mismatch: a callable has a call, overloads and templates included") {
  const auto any = [](auto x) { return x; };
  CHECK(has_call<decltype(any)>());
  CHECK(has_call<nn::Linear>());
  CHECK(has_call<Two>());
  CHECK_FALSE(has_call<PlainStruct>());
  CHECK_FALSE(has_call<int>());
  CHECK(has_forward<Changing>());
  CHECK_FALSE(has_forward<PlainStruct>());
}
