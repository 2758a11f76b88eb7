#pragma once
// Diagonals and triangles of matrices.

#include <cstdint>  // std::int64_t

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// Matrices, the last two axes, with zeros above diagonal number `diagonal`: positive ones are
/// above the main one, negative ones below it.
///
/// Throws   ShapeError for fewer than two axes
/// Gradient tril(g, diagonal)
Tensor tril(Operand x, std::int64_t diagonal = 0);
/// Matrices with zeros below diagonal number `diagonal`.
Tensor triu(Operand x, std::int64_t diagonal = 0);

/// Diagonal number `offset` of the matrices along axes `a` and `b`, as a new last axis.
///
/// Shapes   without `a` and `b`; the last extent is the length of the diagonal, which may be 0
/// Throws   IndexError if an axis does not exist; ValueError if both are the same
/// Gradient g on the diagonal
Tensor diagonal(Operand x, std::int64_t offset = 0, int a = 0, int b = 1);
/// For a vector: the matrix with it on diagonal number `offset`. For a matrix: that diagonal.
///
/// Throws   ShapeError for other ranks
Tensor diag(Operand x, std::int64_t offset = 0);
/// The sum of the main diagonal of a matrix.
///
/// DTypes   integers give i64
/// Throws   ShapeError for other ranks
Tensor trace(Operand x);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/movement/diagonal.ipp>
#endif
