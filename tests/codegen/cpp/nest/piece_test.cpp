#include <doctest/doctest.h>
#include <sinter/codegen/cpp/nest/piece.hpp>

#include "texts.hpp"

using namespace kernels;
using codegen::LoopRange;
using codegen::Piece;
using codegen::PieceKernel;

TEST_CASE("piece: an operand is computed and written to a matrix, for a part of a loop") {
  Sizes sizes({8, 64}, false);
  const Kernel whole = bias_relu("b", sizes, f32);
  PieceKernel piece;
  piece.kernel.vector_axis = VectorAxis::grid;
  piece.kernel.arguments = whole.arguments;
  piece.add(whole.grid[0], LoopRange::given);
  const Extent first = piece.add(whole.grid[1], LoopRange::part);
  piece.add_matrix(f32, Access::write);
  const auto value = piece.copy(whole, {0}, -1, 0);
  piece.store(value[0], whole.grid[1].variable - first);

  const std::string text = Piece(piece, {}).function("packed");
  CHECK(contains(text, "packed(void* const* buffers, const long* sizes,"));
  CHECK(contains(text, "long i0, long n0, long last1)"));
  CHECK(in_order(text, "i1 + 16 <= last1", "store_f32x16("));
  CHECK(contains(text, "const long lanes = last1 - i1;"));
}

TEST_CASE("piece: a bf16 value is rounded only by its store, unless other code reads it") {
  const auto text_of = [](bool widened) {
    KernelBuilder b("r", VectorAxis::grid);
    const auto x = b.argument(f32, Access::read, 64), y = b.argument(bf16, Access::write, 64);
    const auto z = b.argument(f32, Access::write, 64);
    const Extent i = b.grid(64);
    b.stage();
    const ValueId rounded = b.compute(Op::cast, bf16, {b.load(x, i)});
    // A cast of the program.
    b.kernel.instructions[static_cast<std::size_t>(rounded)].constant = constant(true);
    b.store(y, i, rounded);
    Vector<ValueId> stores{2};
    if (widened) {
      b.store(z, i, b.compute(Op::cast, f32, {rounded}));
      stores.push_back(4);
    }
    PieceKernel piece;
    piece.kernel.vector_axis = VectorAxis::grid;
    piece.kernel.arguments = b.kernel.arguments;
    piece.add(b.kernel.grid[0], LoopRange::whole);
    piece.copy(b.kernel, stores, -1, 0);
    return Piece(piece, {}).function("finish");
  };
  CHECK(in_order(text_of(false), "load_f32x16(", "bf16_of_f32x16(v0)"));
  CHECK_FALSE(contains(text_of(false), "round_bf16"));
  CHECK(in_order(text_of(true), "round_bf16x16(v0)", "store_f32x16("));
}
