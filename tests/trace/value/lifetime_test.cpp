#include <sinter/trace/value/lifetime.hpp>

#include <memory>
#include <optional>

#include "jit/support.hpp"

using namespace testing;

namespace {

struct Net {
  int heads = 2;  // so that the module does not begin with a tensor
  nn::Linear in{6, 4}, out{4, 3};
  SINTER_MODULE(Net, heads, in, out)
  Tensor forward(const Tensor& x) const { return out(in(x)); }
};

auto returns_reference() {
  Net net;
  return compile(net);
}
auto captures_module() {
  Net net;
  return compile([&net](const Tensor& x) { return net(x); });
}
auto captures_tensor() {
  Tensor weight = ones({6});
  return compile([&weight](const Tensor& x) { return x * weight; });
}

}  // namespace

TEST_CASE("lifetimes: a module that has ended is an error, not a crash") {
  const Tensor x = ones({2, 6});
  const auto returned = returns_reference();
  CHECK_THROWS_WITH_AS(returned(x),
                       doctest::Contains("the module that the compiled function refers to"),
                       ValueError);
  CHECK_THROWS_WITH_AS(nn::eval(returned), doctest::Contains("has ended"), ValueError);

  std::vector<Net> nets(1);
  const auto first = compile(nets[0]);
  first(x);
  nets.resize(9);
  CHECK_THROWS_WITH_AS(first(x), doctest::Contains("has ended"), ValueError);
  CHECK_THROWS_WITH_AS(first(x), doctest::Contains("compile(std::move(module))"), ValueError);
}

TEST_CASE("lifetimes: local variables that a closure captures by reference have ended") {
  const Tensor x = ones({2, 6});
  const auto module = captures_module();
  CHECK_THROWS_WITH_AS(module(x),
                       doctest::Contains("a variable that the function captures by reference"),
                       ValueError);
  const auto tensor = captures_tensor();
  CHECK_THROWS_WITH_AS(tensor(x), doctest::Contains("capture it by value"), ValueError);
}

TEST_CASE("lifetimes: what is assigned, made anew or let go in its place has not ended") {
  const Tensor x = ones({2, 6});
  Net net;
  const auto by_reference = compile(net);
  by_reference(x);
  net = Net();
  CHECK_NOTHROW(by_reference(x));

  std::optional<Net> maybe(std::in_place);
  const auto of_optional = compile(*maybe);
  maybe.emplace();
  CHECK_NOTHROW(of_optional(x));

  std::optional<Tensor> cached;
  const auto with_cache = compile([&cached](const Tensor& y) {
    if (!cached) cached = ones({6});
    return y * *cached;
  });
  with_cache(x);
  cached.reset();
  CHECK_NOTHROW(with_cache(x));

  for (int i = 0; i < 3; ++i) {
    Net inner;
    CHECK_NOTHROW(compile([&inner](const Tensor& y) { return inner(y); })(x));
    CHECK_NOTHROW(compile(inner)(x));
  }
}
