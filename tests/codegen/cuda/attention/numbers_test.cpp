#include <doctest/doctest.h>
#include <sinter/codegen/cuda/attention/numbers.hpp>

#include <algorithm>

#include "schedule/causal_kernel.hpp"

using namespace causal;

TEST_CASE("streaming_numbers: one pass needs the dot, both running reductions and the sum") {
  const auto how = codegen::cuda_streaming_form(causal_kernel(), {});
  REQUIRE(how.has_value());
  const codegen::StreamingNumbers numbers(how->form);
  REQUIRE(how->form.reductions.size() == 2);
  CHECK(numbers.roots_of(0).size() == 3);
  CHECK(numbers.roots_of(1).empty());
  CHECK(numbers.dots_of(0).size() == 1);
  const ValueId running_max = how->form.reductions[0].result;
  CHECK(numbers.is_running_reduction(running_max));
  CHECK_FALSE(numbers.is_running_reduction(how->form.dots[0].result));
}

TEST_CASE("streaming_numbers: the sums are rescaled when the running maximum changes") {
  const auto how = codegen::cuda_streaming_form(causal_kernel(), {});
  REQUIRE(how.has_value());
  const codegen::StreamingNumbers numbers(how->form);
  CHECK(numbers.is_running_max(0));
  CHECK_FALSE(numbers.is_running_max(1));
  const auto bases = numbers.rescale_bases_of(0, 0);
  CHECK(std::find(bases.begin(), bases.end(), how->form.reductions[0].result) != bases.end());
  CHECK(numbers.rescale_bases_of(0, 1).empty());
}

TEST_CASE("streaming_numbers: results of reductions are inputs to the code of a step") {
  const auto how = codegen::cuda_streaming_form(causal_kernel(), {});
  REQUIRE(how.has_value());
  const Vector<bool> known = codegen::StreamingNumbers(how->form).known_numbers();
  REQUIRE(known.size() == how->form.code.instructions.size());
  CHECK(known[static_cast<std::size_t>(how->form.dots[0].result)]);
  CHECK_FALSE(known[static_cast<std::size_t>(how->form.accumulators[0].value)]);
}
