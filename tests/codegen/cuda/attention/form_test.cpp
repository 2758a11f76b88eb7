#include <doctest/doctest.h>
#include <sinter/codegen/cuda/attention/form.hpp>

#include "schedule/causal_kernel.hpp"

using namespace causal;

TEST_CASE("cuda_streaming_form: tensor cores multiply f32 only if TF32 is allowed") {
  const auto exact = codegen::cuda_streaming_form(causal_kernel(), {});
  const auto tf32 = codegen::cuda_streaming_form(causal_kernel(), {.tf32 = true});
  REQUIRE((exact.has_value() && tf32.has_value()));
  CHECK_FALSE(exact->mma);
  CHECK(tf32->mma);
  CHECK(exact->dtype == f32);
  CHECK(codegen::sum_dtype(*exact) == f32);
}

TEST_CASE("cuda_streaming_form: strict kernels have none") {
  CHECK_FALSE(codegen::cuda_streaming_form(causal_kernel(), {.strict = true}).has_value());
}

TEST_CASE("cuda_streaming_form: scores of a causal mask need few registers") {
  const auto how = codegen::cuda_streaming_form(causal_kernel(), {});
  REQUIRE(how.has_value());
  CHECK(codegen::detail::needs_few_registers(how->form));
  CHECK_FALSE(codegen::detail::needs_many_registers(how->form));
}
