#pragma once
// Kernels that reduce, and kernels that gather and scatter rows.

#include <string>
#include <vector>

#include "kernels.hpp"

namespace kernels {

inline Kernel softmax(const std::string& name, Sizes& sizes, DType dtype) {
  KernelBuilder b(name, VectorAxis::stage);
  const Extent n = sizes(b), m = sizes(b);
  const auto x = b.argument(dtype, Access::read, n * m),
             y = b.argument(dtype, Access::write, n * m);
  const auto row = b.argument(dtype, Access::local, m);
  const Extent i = b.grid(n);
  const Extent k = b.stage().loop(m);
  const ValueId largest = b.reduce(Op::max, dtype, b.load(x, i * m + k));
  const Extent l = b.stage().loop(m);
  const ValueId e =
      b.compute(Op::exp, dtype, {b.compute(Op::sub, dtype, {b.load(x, i * m + l), largest})});
  b.store(row, l, e);
  const ValueId sum = b.reduce(Op::sum, dtype, e);
  b.stage();
  const ValueId inverse = b.compute(Op::div, dtype, {b.number(1, dtype), sum});
  const Extent o = b.stage().loop(m);
  b.store(y, i * m + o, b.compute(Op::mul, dtype, {b.load(row, o), inverse}));
  return b.kernel;
}

// Over axis 0: each lane is a column, with a local row per column.
inline Kernel softmax_columns(const std::string& name, Sizes& sizes) {
  KernelBuilder b(name, VectorAxis::grid);
  const Extent n = sizes(b), m = sizes(b);
  const auto x = b.argument(f32, Access::read, n * m), y = b.argument(f32, Access::write, n * m);
  const auto row = b.argument(f32, Access::local, n);
  const Extent j = b.grid(m);
  const Extent k = b.stage().loop(n);
  const ValueId e = b.compute(Op::exp, f32, {b.load(x, k * m + j)});
  b.store(row, k, e);
  const ValueId sum = b.reduce(Op::sum, f32, e);
  const Extent o = b.stage().loop(n);
  b.store(y, o * m + j, b.compute(Op::div, f32, {b.load(row, o), sum}));
  return b.kernel;
}

inline Kernel reduction(const std::string& name, Sizes& sizes, Op op, DType dtype,
                        VectorAxis axis) {
  KernelBuilder b(name, axis);
  const Extent n = sizes(b), m = sizes(b);
  const bool columns = axis == VectorAxis::grid;
  const Extent outer = columns ? m : n, inner = columns ? n : m;
  const DType result = op == Op::argmax ? i64 : dtype;
  const auto x = b.argument(dtype, Access::read, n * m),
             y = b.argument(result, Access::write, outer);
  const Extent i = b.grid(outer);
  const Extent k = b.stage().loop(inner);
  const ValueId value = b.load(x, columns ? k * m + i : i * m + k);
  const ValueId best = b.reduce(op, result, value, op == Op::argmax ? k : Extent(0));
  b.stage();
  b.store(y, i, best);
  return b.kernel;
}

// The maximum and its position, which share an accumulator.
inline Kernel max_and_position(const std::string& name, Sizes& sizes, VectorAxis axis) {
  KernelBuilder b(name, axis);
  const Extent n = sizes(b), m = sizes(b);
  const bool columns = axis == VectorAxis::grid;
  const Extent outer = columns ? m : n, inner = columns ? n : m;
  const auto x = b.argument(f32, Access::read, n * m), y = b.argument(f32, Access::write, outer);
  const auto z = b.argument(i64, Access::write, outer);
  const Extent i = b.grid(outer);
  const Extent k = b.stage().loop(inner);
  const ValueId value = b.load(x, columns ? k * m + i : i * m + k);
  const ValueId most = b.reduce(Op::max, f32, value);
  const ValueId position = b.reduce(Op::argmax, i64, value, k);
  b.stage();
  b.store(y, i, most);
  b.store(z, i, position);
  return b.kernel;
}

// Each lane is a column; stores are strided, and not all elements are loaded.
inline Kernel columns_to_rows(const std::string& name, Sizes& sizes) {
  KernelBuilder b(name, VectorAxis::grid);
  const Extent n = sizes(b), m = sizes(b);
  const auto x = b.argument(f32, Access::read, n * m), y = b.argument(f32, Access::write, n * m);
  const Extent j = b.grid(m);
  const Extent k = b.stage().loop(n);
  const ValueId largest = b.reduce(Op::max, f32, b.load(x, k * m + j));
  const Extent o = b.stage().loop(n);
  const Vector<Guard> guards{{o + j - 2, 0, m}};
  const ValueId v = b.load(x, o * m + j, guards, constant(0.25, f32));
  b.store(y, j * n + o, b.compute(Op::sub, f32, {v, largest}));
  return b.kernel;
}

// The sum of all elements of two axes: no grid.
inline Kernel full_mean(const std::string& name, Sizes& sizes) {
  KernelBuilder b(name, VectorAxis::stage);
  const Extent n = sizes(b), m = sizes(b);
  const auto x = b.argument(f32, Access::read, n * m), y = b.argument(f32, Access::write, 1);
  b.stage();
  const Extent k = b.loop(n), l = b.loop(m);
  const ValueId v = b.load(x, k * m + l);
  const ValueId sum = b.reduce(Op::sum, f32, b.compute(Op::mul, f32, {v, v}));
  b.stage();
  b.store(y, 0, b.compute(Op::div, f32, {sum, b.index(n * m, f32)}));
  return b.kernel;
}

// (n, k) times (k, m), or times (m, k) transposed, by tiles, with a bias and tanh.
inline Kernel product(const std::string& name, Sizes& sizes, bool by_rows, DType dtype, int rows,
                      int columns) {
  KernelBuilder b(name, by_rows ? VectorAxis::stage : VectorAxis::grid);
  const Extent n = sizes(b), m = sizes(b), depth = sizes(b);
  const auto x = b.argument(dtype, Access::read, n * depth),
             w = b.argument(dtype, Access::read, depth * m);
  const auto bias = b.argument(dtype, Access::read, m), y = b.argument(dtype, Access::write, n * m);
  const Extent i = b.grid(n, rows), j = b.grid(m, columns);
  const Extent k = b.stage().loop(depth);
  const ValueId lhs = b.load(x, i * depth + k);
  const ValueId rhs = b.load(w, by_rows ? j * depth + k : k * m + j);
  const ValueId sum = b.reduce(Op::sum, dtype, b.compute(Op::mul, dtype, {lhs, rhs}));
  b.stage();
  const ValueId biased = b.compute(Op::add, dtype, {sum, b.load(bias, j)});
  b.store(y, i * m + j, b.compute(Op::tanh, dtype, {biased}));
  return b.kernel;
}

// table[indices], where `inner` elements are contiguous; 0 means single elements.
inline Kernel gather_rows(const std::string& name, Sizes& sizes) {
  KernelBuilder b(name, VectorAxis::grid);
  const Extent rows = sizes(b), count = sizes(b), m = sizes(b);
  const auto t = b.argument(f32, Access::read, rows * m), at = b.argument(i64, Access::read, count);
  const auto y = b.argument(f32, Access::write, count * m);
  const Extent i = b.grid(count), j = b.grid(m);
  b.stage();
  const Extent row = b.bind(b.load(at, i), rows, i);
  b.store(y, i * m + j, b.load(t, row * m + j));
  return b.kernel;
}

inline Kernel gather_elements(const std::string& name, Sizes& sizes) {
  KernelBuilder b(name, VectorAxis::grid);
  const Extent rows = sizes(b), count = sizes(b);
  const auto t = b.argument(f32, Access::read, rows), at = b.argument(i64, Access::read, count);
  const auto y = b.argument(f32, Access::write, count);
  const Extent i = b.grid(count);
  b.stage();
  const Extent row = b.bind(b.load(at, i), rows, i);
  b.store(y, i, b.load(t, row));
  return b.kernel;
}

inline Kernel scatter(const std::string& name, Sizes& sizes) {
  KernelBuilder b(name, VectorAxis::grid);
  const Extent rows = sizes(b), count = sizes(b), m = sizes(b);
  const auto y = b.argument(f32, Access::read_write, rows * m),
             at = b.argument(i64, Access::read, count);
  const auto x = b.argument(f32, Access::read, count * m);
  const Extent i = b.grid(count), j = b.grid(m);
  b.kernel.serial = true;
  b.stage();
  const Extent row = b.bind(b.load(at, i), rows, i);
  b.store(y, row * m + j, b.load(x, i * m + j), true);
  return b.kernel;
}

}  // namespace kernels
