#include <doctest/doctest.h>
#include <sinter/codegen/piece.hpp>

#include "texts.hpp"

using namespace kernels;
using codegen::Piece;
using codegen::PieceKernel;
using codegen::Span;

TEST_CASE("piece: what an operand is computed from is written to a matrix, for a part of a loop") {
  Sizes sizes({8, 64}, false);
  const Kernel whole = bias_relu("b", sizes, f32);
  PieceKernel piece;
  piece.kernel.vector_axis = VectorAxis::grid;
  piece.kernel.arguments = whole.arguments;
  piece.add(whole.grid[0], Span::given);
  const Extent first = piece.add(whole.grid[1], Span::part);
  piece.add_matrix(f32, Access::write);
  const auto value = piece.copy(whole, {0}, -1, 0);
  piece.store(value[0], whole.grid[1].variable - first);

  const std::string text = Piece(piece, 512, false).function("packed");
  CHECK(contains(text, "packed(void* const* buffers, const long* sizes,"));
  CHECK(contains(text, "long i0, long n0, long last1)"));
  CHECK(in_order(text, "i1 + 16 <= last1", "store_f32x16("));
  CHECK(contains(text, "const long lanes = last1 - i1;"));
}
