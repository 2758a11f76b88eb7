#include <doctest/doctest.h>
#include <sinter/schedule/tile/streaming_form.hpp>

#include "causal_kernel.hpp"

using namespace causal;

namespace {

// Of a causal kernel, with all instructions of `dtype`.
StreamingForm form_of(DType dtype) {
  StreamingForm result = *streaming_form(causal_kernel());
  for (Instruction& one : result.code.instructions) one.dtype = dtype;
  return result;
}

// Whether the form is one of f32 after `id` became one of f64.
bool is_common_without(StreamingForm form, ValueId id) {
  form.code.instructions[static_cast<std::size_t>(id)].dtype = f64;
  return set_common_dtype(form);
}

}  // namespace

TEST_CASE("streaming dtype: that of all products and reductions, if it is f32 or f64") {
  for (const DType dtype : {f32, f64}) {
    StreamingForm form = form_of(dtype);
    CHECK(set_common_dtype(form));
    CHECK(form.dtype == dtype);
  }
  for (const DType dtype : {f16, bf16, i32, i64}) {
    StreamingForm form = form_of(dtype);
    CHECK(!set_common_dtype(form));
  }
}

TEST_CASE("streaming dtype: no operand and no result may differ") {
  const StreamingForm form = form_of(f32);
  REQUIRE(!form.accumulators.empty());
  REQUIRE(!form.reductions.empty());
  for (const StreamingDot& dot : form.dots) {
    for (const ValueId id : {dot.left, dot.right, dot.result}) CHECK(!is_common_without(form, id));
  }
  for (const StreamingAccumulator& sum : form.accumulators) {
    for (const ValueId id : {sum.value, sum.right, sum.result}) CHECK(!is_common_without(form, id));
  }
  for (const RunningReduction& one : form.reductions) CHECK(!is_common_without(form, one.result));
}
