#include <doctest/doctest.h>
#include <sinter/codegen/cuda/attention/matrices.hpp>

#include <vector>

#include "schedule/causal_kernel.hpp"

using namespace causal;

TEST_CASE("streaming_matrices: inputs with a constant stride are copied, each of them once") {
  const auto how = codegen::cuda_streaming_form(causal_kernel(), {});
  REQUIRE(how.has_value());
  const StreamingDot& dot = how->form.dots[0];
  Vector<codegen::StreamingMatrix> matrices;
  CHECK(codegen::add_matrix(matrices, *how, true, dot.left, dot.depth) == 0);
  CHECK(codegen::add_matrix(matrices, *how, false, dot.right, dot.depth) == 1);
  CHECK(codegen::add_matrix(matrices, *how, false, dot.right, dot.depth) == 1);
  REQUIRE(matrices.size() == 2);
  CHECK(matrices[0].name == "left0");
  CHECK(matrices[1].name == "right1");
  CHECK(matrices[1].copied);
  CHECK(matrices[1].deep);
  CHECK(same(matrices[1].stride, 4));
  CHECK(matrices[1].width == 16);
}
