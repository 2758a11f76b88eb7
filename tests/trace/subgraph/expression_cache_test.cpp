#include "testing.hpp"

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/subgraph/expression_cache.hpp>

using namespace testing;

namespace {

const int type = 0, other_type = 0;

ExpressionKey key_of(const int* of, const Tensor& operand, Where where) {
  ExpressionKey key(of);
  key.add(where);
  key.add(operand, where);
  key.add(constant(0.5), where);
  return key;
}

}  // namespace

TEST_CASE("ExpressionCache: finds an expression by its type, its lines and its operands' sizes") {
  Recorder recorder;
  RecorderScope scope(&recorder);
  ExpressionCache cache;
  const Tensor x = recorder.placeholder({f32, {2}}), y = recorder.placeholder({f32, {2}}),
               other = recorder.placeholder({f32, {3}});
  const Where here = Where::current();
  const Where there = Where::current();
  const auto graph = make_shared_ptr<const ExpressionGraph>();
  cache.insert(key_of(&type, x, here), graph);
  cache.insert(key_of(&type, other, there), nullptr);

  CHECK(cache.find(key_of(&type, x, here)) == graph);
  CHECK(cache.find(key_of(&type, y, here)) == graph);
  CHECK_FALSE(cache.find(key_of(&type, other, here)).has_value());
  CHECK_FALSE(cache.find(key_of(&type, x, there)).has_value());
  CHECK_FALSE(cache.find(key_of(&other_type, x, here)).has_value());
  CHECK_FALSE(cache.find(ExpressionKey(&type)).has_value());
  REQUIRE(cache.find(key_of(&type, other, there)).has_value());
  CHECK(*cache.find(key_of(&type, other, there)) == nullptr);
}

TEST_CASE("ExpressionKey: has the operands, those of outside as inputs of the recording") {
  const Tensor outside = ones({2});
  Recorder recorder;
  RecorderScope scope(&recorder);
  const ExpressionKey key = key_of(&type, outside, Where::current());

  REQUIRE(key.operands().size() == 2);
  REQUIRE(recorder.outside().size() == 1);
  CHECK(key.operands()[0].value == recorder.outside()[0].placeholder.lazy().get());
  CHECK(key.operands()[1].value == nullptr);
  CHECK(key.operands()[1].number == constant(0.5));
}
