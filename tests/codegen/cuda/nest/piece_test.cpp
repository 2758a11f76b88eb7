// test: deep
#include <doctest/doctest.h>
#include <sinter/codegen/cuda/nest/piece.hpp>

#include "texts.hpp"

using namespace kernels;
using codegen::CudaPiece;
using codegen::CudaSide;
using codegen::LoopRange;
using codegen::PieceKernel;

namespace {

/// Each loop of `whole` as a side, called by `names`.
struct Part {
  PieceKernel piece{};
  Vector<CudaSide> sides{};

  Part(const Kernel& whole, const std::vector<std::string>& names) {
    piece.kernel.vector_axis = VectorAxis::grid;
    piece.kernel.arguments = whole.arguments;
    piece.kernel.symbols = whole.symbols;
    for (std::size_t i = 0; i < names.size(); ++i) {
      piece.add(whole.grid[i], LoopRange::given);
      sides.push_back({names[i], {whole.grid[i]}});
    }
  }
};

}  // namespace

TEST_CASE("cuda_piece: a function computes one element of an operand, or a pack") {
  Sizes sizes({8, 64}, false);
  const Kernel whole = bias_relu("b", sizes, bf16);  // max(x * scale + bias, 0)
  const auto text_of = [&](int pack) {
    Part part(whole, {"row", "k"});
    const ValueId sum = part.piece.copy(whole, {4}, -1, 0)[0];
    CudaPiece piece(part.piece, part.sides, pack, "int");
    const std::string text = piece.operand("sum", sum, bf16);
    CHECK(piece.arguments() == "in0, in1, in2, ");
    return text;
  };
  CHECK(contains(text_of(1), "INLINE unsigned short sum(const unsigned short* in0,"));
  CHECK(contains(text_of(1), "int row, int k)"));
  CHECK(contains(text_of(1), "return bf16_of_f32(v4);"));
  CHECK(contains(text_of(4), "INLINE Several<unsigned short, 4> sum("));
  CHECK(contains(text_of(4), "= load_u16x4("));
  CHECK(contains(text_of(4), "return {{bf16_of_f32(v4_0), bf16_of_f32(v4_1), "));
}

TEST_CASE("cuda_piece: an epilogue takes the sum as a parameter") {
  Sizes sizes({8, 64}, false);
  const Kernel whole = bias_relu("b", sizes, f32);
  const auto store = static_cast<ValueId>(whole.instructions.size()) - 1;
  Part part(whole, {"row", "column"});
  part.piece.add_matrix(f32, Access::read);
  part.piece.copy(whole, {store}, 2, whole.grid[1].variable);  // x * scale stands for the sum
  CudaPiece piece(part.piece, part.sides, 4, "long");
  const std::string text = piece.epilogue("finish", "float");
  CHECK(contains(text, "long row, long column, Several<float, 4> sum)"));
  CHECK(in_order(text, "= (float)sum.lane[3];", "store_f32x4("));
  CHECK_FALSE(contains(text, "in0"));
}

TEST_CASE("cuda_piece: the index of fused loops is split into their variables") {
  Sizes sizes({8, 64}, false);
  const Kernel whole = bias_relu("b", sizes, f32);
  Part part(whole, {"a", "b"});
  const ValueId value = part.piece.copy(whole, {2}, -1, 0)[0];
  const Vector<CudaSide> one{{"k", {whole.grid[0], whole.grid[1]}}};
  const std::string text = CudaPiece(part.piece, one, 1, "int").operand("f", value, f32);
  CHECK(contains(text, ", int k)"));
  CHECK(in_order(text, "const int k0 = k / 64;", "const int k1 = k % 64;"));
}
