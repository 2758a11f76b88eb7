#include <doctest/doctest.h>
#include <sinter/codegen/cuda/attention/numbers.hpp>
#include <sinter/codegen/cuda/attention/pieces.hpp>

#include <string>
#include <vector>

#include "schedule/causal_kernel.hpp"

using namespace causal;

TEST_CASE("streaming_pieces: a score is a function of its row and step, given the dot") {
  const auto how = codegen::cuda_streaming_form(causal_kernel(), {});
  REQUIRE(how.has_value());
  const codegen::StreamingNumbers numbers(how->form);
  codegen::StreamingPieces pieces(*how);
  pieces.name = "mix";
  const ValueId score = how->form.reductions[0].value;
  const auto call = pieces.write_call("x", score, pieces.sides({"step", {how->form.step}}),
                                      numbers.known_numbers());
  const std::string name = text("mix_x", score, "(");
  CHECK(call.head.starts_with(name));
  CHECK(call.givens == Vector<ValueId>{how->form.dots[0].result});
  CHECK(pieces.str().find("INLINE float " + name) != std::string::npos);
}

TEST_CASE("streaming_pieces: operands of tensor cores use an approximate exp") {
  const auto exact = codegen::cuda_streaming_form(causal_kernel(), {});
  const auto tf32 = codegen::cuda_streaming_form(causal_kernel(), {.tf32 = true});
  REQUIRE((exact.has_value() && tf32.has_value()));
  CHECK(codegen::StreamingPieces(*exact).exp_name() == "exp_f32(");
  CHECK(codegen::StreamingPieces(*tf32).exp_name() == "near_exp_f32(");
}
