#include <doctest/doctest.h>
#include <sinter/jit/tune/host.hpp>

#include "jit/product_kernels.hpp"

using namespace testing;

TEST_CASE("host_tuning: texts are those of the emitter for the host, with and without a choice") {
  ProductGraph g;
  const schedule::Kernel kernel =
      g.kernel(g.product(g.input(f32, {64, 48}), g.input(f32, {48, 64})));
  const codegen::CppOptions options{.target = {.vectors = {.bits = 256}}};
  const jit::HostTuning target(options);
  CHECK(target.emit(kernel, {}).text == codegen::emit_cpp(kernel, options).text);
  const codegen::Tuning wide{.tile_rows = 8, .tile_vectors = 1};
  CHECK(target.emit(kernel, wide).text.find("// tuned: tile_rows 8, tile_vectors 1\n") == 0);
  CHECK(target.candidates(kernel).size() == codegen::candidates(kernel, options).size());
  CHECK(target.environment().find("threads ") == 0);
}
