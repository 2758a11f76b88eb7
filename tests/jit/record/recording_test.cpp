// test: moved
#include <doctest/doctest.h>
#include <sinter/jit/record/recording.hpp>
#include <sinter/schedule/ir/plan.hpp>

#include "jit/record_function.hpp"

using namespace testing;

TEST_CASE("recording: outputs are the results, then the updates") {
  Tensor x = zeros({4});
  const jit::Recording kept = record_function(x, {}, {}, [](Tensor& y) { return y * 2.0f; });
  CHECK(kept.graph.outputs.size() == 1);
  CHECK(kept.changed.empty());
  CHECK_FALSE(kept.changes_structure);
  CHECK_FALSE(kept.is_random);
  const jit::Recording changed = record_function(x, {}, {}, [](Tensor& y) {
    y += 1.0f;
    return y * 2.0f;
  });
  CHECK(changed.results == 1);
  CHECK(changed.graph.outputs.size() == 2);
  CHECK(changed.changed == Vector<std::int32_t>{0});
  REQUIRE(changed.updates().size() == 1);
  CHECK(changed.updates()[0].input == 0);
  CHECK(changed.updates()[0].output == 1);
}

TEST_CASE("recording: memory is not shared where the dtype or the shape changes") {
  Tensor x = zeros({4, 2});
  const auto updates = [&](auto change) {
    return record_function(x, {}, {}, [&](Tensor& y) { return y = change(y); }).updates().size();
  };
  CHECK(updates([](const Tensor& y) { return y + 1.0f; }) == 1);
  CHECK(updates([](const Tensor& y) { return y.to(i32); }) == 0);
  CHECK(updates([](const Tensor& y) { return transpose(y, 0, 1); }) == 0);
}
