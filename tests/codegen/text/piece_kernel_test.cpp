#include <doctest/doctest.h>
#include <sinter/codegen/text/piece_kernel.hpp>

#include <algorithm>
#include <vector>

#include "texts.hpp"

using namespace kernels;
using codegen::LoopRange;
using codegen::PieceKernel;

TEST_CASE("piece_kernel: a part of a loop begins at a symbol that the caller passes") {
  Sizes sizes({8, 64}, false);
  const Kernel whole = bias_relu("b", sizes, f32);
  PieceKernel piece;
  piece.kernel.arguments = whole.arguments;
  CHECK(same(piece.add(whole.grid[0], LoopRange::given), 0));
  const Extent first = piece.add(whole.grid[1], LoopRange::part);
  CHECK(first.is_symbol());
  REQUIRE(piece.kernel.symbols.size() == 1);
  CHECK(same(piece.kernel.symbols[0], first));
  CHECK(piece.kernel.grid.size() == 2);
}

TEST_CASE("piece_kernel: only what a root is computed from is copied") {
  Sizes sizes({8, 64}, false);
  const Kernel whole = bias_relu("b", sizes, f32);
  PieceKernel piece;
  piece.kernel.arguments = whole.arguments;
  piece.add_matrix(f32, Access::write);
  const auto roots = piece.copy(whole, {0}, -1, 0);
  REQUIRE(roots.size() == 1);
  CHECK(piece.kernel.instructions.size() == 1);
  piece.store(roots[0], whole.grid[1].variable);
  const Instruction& store = piece.kernel.instructions.back();
  CHECK(store.code == Code::store);
  CHECK(store.argument == static_cast<std::int32_t>(whole.arguments.size()));
}

TEST_CASE("piece_kernel: operands of the given value are not copied") {
  Sizes sizes({8, 64}, false);
  const Kernel whole = bias_relu("b", sizes, f32);
  Vector<bool> all(whole.instructions.size(), false), few = all;
  ValueId product = 0;
  while (whole.instructions[static_cast<std::size_t>(product)].op != Op::mul) ++product;
  codegen::detail::mark_used(whole, product, -1, all);
  codegen::detail::mark_used(whole, product, product, few);
  CHECK(std::count(all.begin(), all.end(), true) == 3);
  CHECK(std::count(few.begin(), few.end(), true) == 1);
}
