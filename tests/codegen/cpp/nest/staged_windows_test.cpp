#include <doctest/doctest.h>
#include <sinter/codegen/cpp/nest/staged_windows.hpp>
#include <sinter/symbol/solve/variables.hpp>

#include "texts.hpp"

using namespace kernels;
using codegen::stage_windows;
using codegen::StagedKernel;

namespace {

// The sum of windows of `window` by `window` elements of `planes` images, `size` by `size`, padded
// by `padding`, `step` apart.
Kernel window_sums(std::int64_t planes, std::int64_t size, std::int64_t padding,
                   std::int64_t step = 1, std::int64_t window = 3) {
  const std::int64_t result = (size + 2 * padding - window) / step + 1;
  const Extent plane = Extent::range(0, planes), row = Extent::range(1, result);
  const Extent column = Extent::range(2, result), y = Extent::range(3, window),
               x = Extent::range(4, window);
  Kernel kernel;
  kernel.name = "window_sums";
  kernel.arguments = {{f32, Access::read, planes * size * size},
                      {f32, Access::write, planes * result * result}};
  kernel.grid = {{plane, planes}, {row, result}, {column, result}};
  const Extent along = row * step + y - padding, across = column * step + x - padding;
  Instruction load{.code = Code::load, .op = Op::input, .dtype = f32};
  load.argument = 0;
  load.index = (plane * size + along) * size + across;
  load.constant = sinter::detail::constant(0.0, f32);
  if (padding > 0) load.guards = {{along, 0, size}, {across, 0, size}};
  Instruction sum{.code = Code::reduce, .op = Op::sum, .dtype = f32};
  sum.operands = {0};
  Instruction store{.code = Code::store, .dtype = f32};
  store.argument = 1;
  store.index = (plane * result + row) * result + column;
  store.operands = {1};
  kernel.instructions = {load, sum, store};
  kernel.stages = {{.loops = {{y, window}, {x, window}}, .body = {0, 1}}, {.body = {2}}};
  kernel.vector_axis = VectorAxis::grid;
  return kernel;
}

}  // namespace

TEST_CASE("staged_windows: a padded image is computed once for all windows in it") {
  const Kernel kernel = window_sums(64, 14, 1);
  const auto staged = stage_windows(kernel, {});
  REQUIRE(staged.has_value());
  REQUIRE(staged->windows.size() == 1);
  const codegen::StagedWindow& window = staged->windows[0];
  CHECK(window.elements == 16 * 16);
  CHECK(window.depth == 1);  // inside the loop over images
  CHECK(window.given == Vector<int>{0});
  CHECK(window.argument == 2);
  CHECK(staged->kernel.instructions[0].guards.empty());
  CHECK(window.piece.kernel.instructions[0].guards.size() == 2);
}

TEST_CASE("staged_windows: lanes behind the last element are numbers") {
  CHECK(contains(cpp_text(window_sums(64, 14, 1)), "__builtin_memset(window2 + 256, 0, "));
}

TEST_CASE("staged_windows: positions that neighbouring windows read are contiguous") {
  const Kernel kernel = window_sums(64, 28, 1, 2, 5);
  const auto staged = stage_windows(kernel, {});
  REQUIRE(staged.has_value());
  const codegen::StagedWindow& window = staged->windows[0];
  CHECK(window.elements == 29 * 2 * 15);  // 29 positions: 15 even ones, then the odd ones
  const Extent index = staged->kernel.instructions[0].index;
  CHECK(same(*coefficient_of(index, kernel.grid[2].variable), 1));
  CHECK(staged->kernel.arguments[2].has_slack);
  const std::string text = cpp_text(kernel);
  CHECK_FALSE(contains(text.substr(text.find("extern")), "load_evens"));
  CHECK_FALSE(contains(text.substr(text.find("extern")), "load_part"));
}

TEST_CASE("staged_windows: positions that few windows read stay where they are") {
  const auto staged = stage_windows(window_sums(64, 28, 1, 2), {});
  REQUIRE(staged.has_value());
  CHECK(staged->windows[0].elements == 29 * 29);
}

TEST_CASE("staged_windows: an operand without padding is not read beyond its end") {
  Kernel kernel = window_sums(64, 28, 1, 2, 5);  // of 29 positions, in two parts of 15
  Instruction factor = kernel.instructions[0];
  factor.argument = 2;
  factor.index = kernel.instructions[0].guards[1].value + 1;
  factor.guards = {};
  Instruction product{.code = Code::compute, .op = Op::mul, .dtype = f32};
  product.operands = {0, 1};
  Instruction sum = kernel.instructions[1], store = kernel.instructions[2];
  sum.operands = {2}, store.operands = {3};
  kernel.arguments.push_back({f32, Access::read, 29});
  kernel.instructions = {kernel.instructions[0], factor, product, sum, store};
  kernel.stages[0].body = {0, 1, 2, 3};
  kernel.stages[1].body = {4};
  const auto staged = stage_windows(kernel, {});
  REQUIRE(staged.has_value());
  for (const Instruction& one : staged->windows[0].piece.kernel.instructions) {
    if (one.code == Code::load) CHECK_FALSE(one.guards.empty());
  }
}

TEST_CASE("staged_windows: large images, and images without padding, are read where they are") {
  CHECK_FALSE(stage_windows(window_sums(64, 200, 1), {}).has_value());
  CHECK_FALSE(stage_windows(window_sums(64, 14, 0), {}).has_value());
}

TEST_CASE("staged_windows: threads that share the rows of one image do not stage it") {
  CHECK_FALSE(stage_windows(window_sums(2, 14, 1), {}).has_value());
}

TEST_CASE("staged_windows: the kernel agrees with its definition") {
  Sizes sizes({64, 14, 14}, false);
  const std::string text = cpp_text(window_sums(64, 14, 1));
  CHECK(in_order(text, "_window2(void* const* buffers", "_window2(buffers, sizes, window2, i0);"));
  CHECK_FALSE(contains(text.substr(text.find("extern")), "load_within"));
}
