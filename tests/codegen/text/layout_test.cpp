#include <doctest/doctest.h>
#include <sinter/codegen/text/layout.hpp>

#include "reduction_kernels.hpp"

using namespace kernels;
using codegen::Layout;

TEST_CASE("layout: loops of one iteration are dropped") {
  Sizes sizes({1, 5}, false);
  const Kernel kernel = softmax("softmax", sizes, f32);
  const Layout layout(kernel);

  CHECK(layout.grid_depth() == 0);
  CHECK(layout.stages[0].size() == 1);
  CHECK(layout.vector_loop(0) == 0);
}

TEST_CASE("layout: a value depends on the loops of its index and of its operands") {
  Sizes sizes({8, 16, 32}, false);
  const Kernel kernel = product("product", sizes, false, f32, 4, 2);
  const Layout layout(kernel);

  // v0 = x[i, k], v1 = w[k, j], v2 = v0 * v1, v3 = sum, v4 = bias[j]
  CHECK(layout.values[0].loops == (codegen::loop_at(0) | codegen::loop_at(2)));
  CHECK(layout.values[1].loops == (codegen::loop_at(1) | codegen::loop_at(2)));
  CHECK(layout.values[2].loops == (codegen::loop_at(3) - 1));
  CHECK(layout.values[2].depth == 3);
  CHECK(layout.values[3].loops == (codegen::loop_at(2) - 1));
  CHECK(layout.values[3].depth == 2);
  CHECK(layout.values[4].loops == codegen::loop_at(1));
}

TEST_CASE("layout: the first element of a row has its own pointer if it is known early") {
  Sizes sizes({8, 16}, false);
  const Kernel kernel = softmax("softmax", sizes, f32);
  const Layout layout(kernel);

  CHECK(layout.values[0].has_base);  // x[16 * i + k]
  CHECK(layout.values[0].base_depth == 1);
}

TEST_CASE("layout: stores, and loads of memory that is written, are pinned") {
  Sizes sizes({8, 16}, false);
  const Kernel kernel = softmax("softmax", sizes, f32);
  const Layout layout(kernel);
  for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
    const bool stays = codegen::pinned(kernel, kernel.instructions[i]);
    if (kernel.instructions[i].code == Code::store) CHECK(stays);
    if (stays) CHECK(layout.values[i].depth == 2);
  }
}

TEST_CASE("layout: buffers are numbered without the local rows") {
  Sizes sizes({8, 16}, false);
  const Kernel kernel = softmax("softmax", sizes, f32);
  CHECK(Layout(kernel).parameters == Vector<std::int32_t>{0, 1, -1});
}
