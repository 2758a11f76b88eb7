#include "testing.hpp"

#include <sinter/trace/expression_cache.hpp>

using namespace testing;

namespace {

const int type = 0, other_type = 0;

}  // namespace

TEST_CASE("ExpressionCache: finds an expression by its type, its operands and its numbers") {
  ExpressionCache cache;
  const Tensor x = ones({2}), y = ones({2}), result = neg(x);
  const auto key = [](const int* of, const Tensor& operand, double number) {
    ExpressionKey key_of(of);
    key_of.add(operand);
    key_of.add(constant(number));
    return key_of;
  };
  cache.insert(key(&type, x, 1), result);

  REQUIRE(cache.find(key(&type, x, 1)) != nullptr);
  CHECK(cache.find(key(&type, x, 1))->lazy() == result.lazy());
  CHECK(cache.find(key(&type, x, 2)) == nullptr);
  CHECK(cache.find(key(&type, y, 1)) == nullptr);
  CHECK(cache.find(key(&other_type, x, 1)) == nullptr);
  CHECK(cache.find(ExpressionKey(&type)) == nullptr);
}

TEST_CASE("ExpressionCache: holds the operands, so that no other value gets their address") {
  ExpressionCache cache;
  Tensor x = ones({2});
  ExpressionKey key(&type);
  key.add(x);
  cache.insert(std::move(key), ones({2}));

  CHECK(x.lazy()->references == 2);
}
