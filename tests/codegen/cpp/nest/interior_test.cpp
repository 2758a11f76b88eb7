#include <doctest/doctest.h>
#include <sinter/codegen/cpp/nest/interior.hpp>

#include "texts.hpp"

using namespace kernels;
using codegen::Interior;
using codegen::interior_of;
using codegen::Names;

namespace {

// Each row and column of an image of 40 rows of 100, `before` of which are padding.
Kernel shifted_image(std::int64_t before, Extent first, Extent second) {
  const Extent row = Extent::range(0, 40), column = Extent::range(1, 100);
  Kernel kernel;
  kernel.name = "shifted";
  kernel.arguments = {{f32, Access::read, 4000}, {f32, Access::write, 4000}};
  kernel.grid = {{row, 40}, {column, 100}};
  Instruction load{.code = Code::load, .op = Op::input, .dtype = f32};
  load.argument = 0;
  load.index = 100 * first + second;
  load.constant = sinter::detail::constant(0.0, f32);
  load.guards = {{first, 0, 40 - before}, {second, 0, 100 - before}};
  Instruction store{.code = Code::store, .dtype = f32};
  store.argument = 1;
  store.index = 100 * row + column;
  store.operands = {0};
  kernel.instructions = {load, store};
  kernel.stages = {{.body = {0, 1}}};
  kernel.vector_axis = VectorAxis::grid;
  return kernel;
}

// The interior of the loop over columns, inside that over rows.
Interior interior_of_columns(const Kernel& kernel) {
  Names names(kernel, 8);
  names.frames.push_back({"i0", 1, 1});
  return interior_of(names, 0, 1);
}

}  // namespace

TEST_CASE("interior: guards hold from a column on, and where the row is inside") {
  const Extent row = Extent::range(0, 40), column = Extent::range(1, 100);
  const Interior found = interior_of_columns(shifted_image(3, row - 3, column - 3));
  REQUIRE(found.found());
  REQUIRE(found.begins.size() == 1);
  CHECK(same(found.begins[0], 3));
  CHECK(found.ends.empty());  // column - 3 < 97 always
  REQUIRE(found.conditions.size() == 1);
  CHECK(same(found.conditions[0].first, 0));
  CHECK(same(found.conditions[0].second, row - 3));
  CHECK(found.held[0] == Vector<bool>{true, true});
}

TEST_CASE("interior: a guard along another multiple of the column") {
  const Extent row = Extent::range(0, 40), column = Extent::range(1, 100);
  const Interior found = interior_of_columns(shifted_image(0, row, 2 * column - 5));
  REQUIRE(found.begins.size() == 1);
  CHECK(same(found.begins[0], 3));  // 2 * 3 - 5 >= 0
  REQUIRE(found.ends.size() == 1);
  CHECK(same(found.ends[0], 53));  // 2 * 52 - 5 < 100
}

TEST_CASE("interior: guards that are not affine, and those that fall, keep their tests") {
  const Extent row = Extent::range(0, 40), column = Extent::range(1, 100);
  const Interior halves = interior_of_columns(shifted_image(0, row, floor_div(column + 1, 2) - 1));
  CHECK_FALSE(halves.found());
  CHECK(halves.held[0] == Vector<bool>{true, false});
  CHECK_FALSE(interior_of_columns(shifted_image(0, row, 60 - column)).found());
}

TEST_CASE("interior: whole vectors of windows have no tests inside of the input") {
  Sizes sizes({40, 100}, false);
  const std::string text = cpp_text(windows("w", sizes, 1, f32));
  CHECK(in_order(text, "const long near_i", "const long far_i"));
  CHECK(in_order(text, "load_f32x16(", "continue;"));
  CHECK(in_order(text, "continue;", "load_within_f32x16("));
}
