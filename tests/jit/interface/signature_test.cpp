#include <doctest/doctest.h>
#include <sinter/jit/interface/signature.hpp>

#include "jit/support.hpp"

using namespace testing;

namespace {

struct Net {
  Tensor weight = vector({1, 2});
  float factor = 2;
  SINTER_MODULE(Net, weight, factor)
  Tensor forward(const Tensor& x) const { return x * weight * factor; }
};

const auto free_function = [](const Tensor& x, Tensor& y) { return x + y; };

template <class F, class... Args>
jit::CallSignature signature(F& function, Args&&... args) {
  auto bound = jit::bind_arguments<F>(Where::current(), std::forward<Args>(args)...);
  return jit::signature_of(function, bound);
}

}  // namespace

TEST_CASE("signature: leaves are the function's own, then those of the arguments") {
  Net net;
  Tensor x = vector({3, 4});
  const jit::CallSignature call = signature(net, x);
  REQUIRE(call.leaves.list.size() == 2);
  CHECK(call.leaves.list[0].tensor == &net.weight);
  CHECK(call.leaves.list[1].tensor == &x);
  CHECK(call.leaves.list[0].is_mutable);
  CHECK_FALSE(call.leaves.list[1].is_mutable);
}

TEST_CASE("signature: does not depend on whether a tensor that is only read is an lvalue") {
  Net net;
  Tensor x = vector({3, 4});
  const Tensor y = x;
  const Hash structure = signature(net, x).structure;
  CHECK(signature(net, y).structure == structure);
  CHECK(signature(net, vector({5, 6})).structure == structure);
  net.factor = 3;
  CHECK(signature(net, x).structure != structure);
}

TEST_CASE("signature: copies have the leaves of the original arguments") {
  Tensor x = vector({1, 2}), y = vector({3, 4});
  auto bound = jit::bind_arguments<decltype(free_function)>(Where::current(), x, y);
  auto& self = jit::detail::self_of(free_function);
  auto copies = [&]<class... Bound>(const std::tuple<Bound...>& arguments) {
    return jit::detail::copy_of<jit::detail::NoModule, Bound...>(self, arguments);
  }(bound);
  const jit::CallSignature call = jit::detail::signature_of_copies(copies);
  CHECK(call.leaves.list[0].tensor == &std::get<0>(copies.arguments));
  CHECK(call.leaves.list[1].is_mutable);
  CHECK(call.structure == jit::signature_of(self, bound).structure);
}

TEST_CASE("signature: leaves and numbers are named after their argument") {
  Net net;
  std::vector<Tensor> list{vector({1}), vector({2})};
  auto bound = std::tie(list);
  const jit::detail::Names names = jit::detail::names_of(net, bound);
  CHECK(names.leaves == std::vector<std::string>{"self.weight", "argument 0.0", "argument 0.1"});
  REQUIRE(names.plain.size() == 6);
  CHECK(names.plain[0].name == "self.factor");
  CHECK(names.plain[1].value == "2 elements");
  CHECK(names.plain[5].name == "float32_matmul_precision");
  CHECK(names.plain[5].value == "highest");
}

TEST_CASE("signature: overlapping arguments are detected if one is mutable") {
  Net net;
  Tensor x = vector({1}), y = vector({2});
  const auto overlap = []<class... Args>(Args&&... args) {
    auto bound = std::tuple<Args...>(std::forward<Args>(args)...);
    return jit::may_overlap(free_function, bound);
  };
  CHECK(overlap(x, x));
  CHECK_FALSE(overlap(x, y));
  CHECK(overlap(net, net.weight));
  CHECK_FALSE(overlap(std::as_const(x), std::as_const(x)));
  CHECK_FALSE(overlap(vector({1}), x));
}
