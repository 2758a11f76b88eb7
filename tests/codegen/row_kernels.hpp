#pragma once
// Scans of rows, and kernels that sort rows.

#include <string>

#include "kernels.hpp"

namespace kernels {

/// Along the last axis, or, with a vectorised grid, along the first one.
inline Kernel cumulate(const std::string& name, Sizes& sizes, Op op, DType dtype, VectorAxis axis) {
  KernelBuilder b(name, axis);
  const Extent n = sizes(b), m = sizes(b);
  const bool columns = axis == VectorAxis::grid;
  const DType wide = is_floating(dtype) ? f64 : dtype;
  const auto x = b.argument(dtype, Access::read, n * m),
             y = b.argument(dtype, Access::write, n * m);
  const Extent i = b.grid(columns ? m : n);
  const Extent k = b.stage().loop(columns ? n : m);
  const Extent at = columns ? k * m + i : i * m + k;
  const ValueId read = b.load(x, at);
  const ValueId total = b.running(op, wide, b.compute(Op::cast, wide, {read}));
  b.store(y, at, b.compute(Op::cast, dtype, {total}));
  return b.kernel;
}

inline Kernel sorted_rows(const std::string& name, Sizes& sizes, DType dtype, bool descending) {
  KernelBuilder b(name);
  const Extent n = sizes(b), m = sizes(b);
  const auto x = b.argument(dtype, Access::read, n * m), y = b.argument(i64, Access::write, n * m);
  const Extent i = b.grid(n);
  b.stage();
  b.sort(x, y, i * m, 1, m, descending);
  return b.kernel;
}

inline Kernel sorted_columns(const std::string& name, Sizes& sizes, DType dtype) {
  KernelBuilder b(name);
  const Extent n = sizes(b), m = sizes(b);
  const auto x = b.argument(dtype, Access::read, n * m), y = b.argument(i64, Access::write, n * m);
  const Extent i = b.grid(m);
  b.stage();
  b.sort(x, y, i, m, n, false);
  return b.kernel;
}

}  // namespace kernels
