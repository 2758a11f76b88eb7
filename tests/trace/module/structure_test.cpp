// test: moved
#include "testing.hpp"

#include <sinter/trace/module/structure.hpp>
#include <sinter/trace/ops/typed/tensor.hpp>

#include <array>
#include <map>

using namespace testing;

namespace {

struct Pair {
  Tensor first, second;
  SINTER_MODULE(Pair, first, second)
};

}  // namespace

TEST_CASE("structure: numbers, scalars and typed tensors become tensors, wherever they are") {
  const Where here = Where::current();
  CHECK(detail::as_tensors(2.0f, here).dtype() == f32);
  CHECK(detail::as_tensors(2, here).dtype() == i64);
  CHECK(detail::as_tensors(true, here).dtype() == boolean);
  CHECK(near(detail::as_tensors(Scalar(3.0f), here), {3}));
  const TensorOf<float, 2> typed = vector({1, 2});
  const auto [a, b] = detail::as_tensors(std::pair{typed, std::tuple{1.5f, vector({3})}}, here);
  CHECK(near(a, {1, 2}));
  CHECK(near(std::get<0>(b), {1.5}));
  CHECK(near(std::get<1>(b), {3}));
  static_assert(std::is_same_v<decltype(detail::as_tensors(Pair{}, here)), Pair>);
  static_assert(std::is_same_v<decltype(detail::as_argument(2, here)), int>);
}

TEST_CASE("structure: tensors are listed and replaced in the order of members") {
  const Where here = Where::current();
  std::tuple value{Pair{vector({1}), vector({2})}, std::array{vector({3})},
                   std::map<std::string, Tensor>{{"a", vector({4})}}, 7};
  std::vector<Tensor> tensors = detail::tensors_in(value, here);
  REQUIRE(tensors.size() == 4);
  for (Tensor& tensor : tensors) tensor = tensor * 10.0f;
  detail::replace_tensors(value, tensors, here);
  CHECK(near(std::get<0>(value).second, {20}));
  CHECK(near(std::get<1>(value)[0], {30}));
  CHECK(near(std::get<2>(value).at("a"), {40}));
  CHECK(std::get<3>(value) == 7);
}

TEST_CASE("structure: no tensor at all is a mistake") {
  Pair pair{vector({1}), Tensor()};
  MISTAKE(ValueError, detail::tensors_in(pair, Where::current()));
}
