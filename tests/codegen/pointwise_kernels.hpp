#pragma once
// Kernels of one stage without loops.

#include <string>
#include <vector>

#include "kernels.hpp"

namespace kernels {

inline Kernel unary_chain(const std::string& name, Sizes& sizes, Op first, Op second, DType dtype) {
  KernelBuilder b(name, VectorAxis::grid);
  const Extent n = sizes(b);
  const auto x = b.argument(dtype, Access::read, n), y = b.argument(dtype, Access::write, n);
  const Extent i = b.grid(n);
  b.stage();
  b.store(y, i, b.compute(second, dtype, {b.compute(first, dtype, {b.load(x, i)})}));
  return b.kernel;
}

inline Kernel bias_relu(const std::string& name, Sizes& sizes, DType dtype) {
  KernelBuilder b(name, VectorAxis::grid);
  const Extent n = sizes(b), m = sizes(b);
  const auto x = b.argument(dtype, Access::read, n * m), w = b.argument(dtype, Access::read, m);
  const auto s = b.argument(dtype, Access::read, 1), y = b.argument(dtype, Access::write, n * m);
  const Extent i = b.grid(n), j = b.grid(m);
  b.stage();
  const ValueId scaled = b.compute(Op::mul, dtype, {b.load(x, i * m + j), b.load(s, 0)});
  const ValueId sum = b.compute(Op::add, dtype, {scaled, b.load(w, j)});
  const ValueId none = b.number(0, dtype);
  const ValueId negative = b.compute(Op::lt, boolean, {sum, none});
  b.store(y, i * m + j, b.compute(Op::select, dtype, {negative, none, sum}));
  return b.kernel;
}

inline Kernel transposed(const std::string& name, Sizes& sizes) {
  KernelBuilder b(name, VectorAxis::grid);
  const Extent n = sizes(b), m = sizes(b);
  const auto x = b.argument(f32, Access::read, n * m), y = b.argument(f32, Access::write, n * m);
  const Extent i = b.grid(m), j = b.grid(n);
  b.stage();
  b.store(y, i * n + j, b.compute(Op::neg, f32, {b.load(x, j * m + i)}));
  return b.kernel;
}

// A pad of 2 before and 1 after, on both axes, around every second element.
inline Kernel padded(const std::string& name, Sizes& sizes) {
  KernelBuilder b(name, VectorAxis::grid);
  const Extent n = sizes(b), m = sizes(b);
  const auto x = b.argument(f32, Access::read, n * m);
  const auto y = b.argument(f32, Access::write, (n + 3) * (m + 3));
  const auto z = b.argument(boolean, Access::write, (n + 3) * (m + 3));
  const Extent i = b.grid(n + 3), j = b.grid(m + 3);
  b.stage();
  const Vector<Guard> guards{{i - 2, 0, n}, {j - 2, 0, m}};
  const ValueId v = b.load(x, (i - 2) * m + (j - 2), guards, constant(-1.5, f32));
  b.store(y, i * (m + 3) + j, b.compute(Op::abs, f32, {v}));
  b.store(z, i * (m + 3) + j, b.inside(guards));
  return b.kernel;
}

// Concatenates heads of 32 columns, each a matrix of its own, to rows of 150 columns. Adds columns
// 30 to 126 once more, and in columns 40 to 110 a column-major matrix.
inline Kernel merged_heads(const std::string& name, Sizes& sizes, DType dtype) {
  KernelBuilder b(name, VectorAxis::grid);
  const Extent n = sizes(b);
  const auto x = b.argument(dtype, Access::read, 160 * n);
  const auto w = b.argument(dtype, Access::read, 70 * n);
  const auto y = b.argument(dtype, Access::write, 150 * n);
  const Extent i = b.grid(n), j = b.grid(150);
  b.stage();
  const auto head = [&](Extent column) {
    return floor_div(column, 32) * 32 * n + 32 * i + column % 32;
  };
  const ValueId heads = b.load(x, head(j), {{j, 30, 126}}, constant(-1.5, dtype));
  const ValueId columns = b.load(w, (j - 40) * n + i, {{j - 40, 0, 70}}, constant(0.5, dtype));
  const ValueId sum = b.compute(Op::add, dtype, {heads, columns});
  b.store(y, 150 * i + j, b.compute(Op::add, dtype, {sum, b.load(x, head(j))}));
  return b.kernel;
}

// A max pool of width 2 and stride `step`, with padding at both edges.
inline Kernel windows(const std::string& name, Sizes& sizes, std::int64_t step, DType dtype) {
  KernelBuilder b(name, VectorAxis::grid);
  const Extent n = sizes(b), m = sizes(b);
  const auto x = b.argument(dtype, Access::read, n * m);
  const auto y = b.argument(dtype, Access::write, n * m);
  const Extent i = b.grid(n), j = b.grid(m);
  b.stage();
  const Extent first = step * j - 2, second = step * j + 5;
  const Vector<Guard> near{{first, 0, m}, {i, 1, n}}, far{{second, 6, m - 1}, {first, 1, m}};
  const ValueId lhs = b.load(x, i * m + first, near, constant(0, dtype));
  const ValueId rhs = b.load(x, i * m + second, far, constant(1, dtype));
  b.store(y, i * m + j, b.compute(Op::maximum, dtype, {lhs, rhs}));
  return b.kernel;
}

// Reversed, strided, and by division: loads that are not contiguous.
inline Kernel strided(const std::string& name, Sizes& sizes) {
  KernelBuilder b(name, VectorAxis::grid);
  const Extent n = sizes(b);
  const auto x = b.argument(f32, Access::read, 3 * n), y = b.argument(f32, Access::write, 2 * n);
  const Extent i = b.grid(n);
  b.stage();
  const ValueId reversed = b.load(x, n - 1 - i), third = b.load(x, 3 * i), half = b.load(x, i / 2);
  const ValueId turned = b.load(x, (i + 5) % n, {}, {});
  const ValueId sum = b.compute(Op::add, f32, {b.compute(Op::mul, f32, {reversed, third}), half});
  b.store(y, 2 * i, b.compute(Op::sub, f32, {sum, turned}));
  b.store(y, 2 * i + 1, b.compute(Op::cast, f32, {b.index(7 * i + 3, i32)}));
  return b.kernel;
}

inline Kernel dropout(const std::string& name, Sizes& sizes) {
  KernelBuilder b(name, VectorAxis::grid);
  const Extent n = sizes(b), m = sizes(b);
  const auto seed = b.argument(i64, Access::read, 1), offset = b.argument(i64, Access::read, 1);
  const auto bits = b.argument(i32, Access::write, n * m), x = b.argument(f32, Access::read, n * m);
  const auto y = b.argument(f32, Access::write, n * m);
  const Extent i = b.grid(n), j = b.grid(m);
  b.stage();
  const ValueId word = b.random(b.load(seed, 0), b.load(offset, 0), 7, i * m + j);
  b.store(bits, i * m + j, word);
  const ValueId shifted = b.compute(Op::shift_right, i32, {word, b.number(8, i32)});
  const ValueId low = b.compute(Op::bitwise_and, i32, {shifted, b.number(0xffffff, i32)});
  const ValueId uniform =
      b.compute(Op::mul, f32, {b.compute(Op::cast, f32, {low}), b.number(0x1p-24, f32)});
  const ValueId keep = b.compute(Op::ge, boolean, {uniform, b.number(0.5, f32)});
  b.store(y, i * m + j, b.compute(Op::select, f32, {keep, b.load(x, i * m + j), b.number(0, f32)}));
  return b.kernel;
}

// Dtypes of every width in one kernel, and a one-hot row.
inline Kernel mixed(const std::string& name, Sizes& sizes) {
  KernelBuilder b(name, VectorAxis::grid);
  const Extent n = sizes(b), m = sizes(b);
  const auto label = b.argument(i64, Access::read, n),
             mask = b.argument(boolean, Access::read, n * m);
  const auto byte = b.argument(u8, Access::read, m), x = b.argument(f32, Access::read, n * m);
  const auto y = b.argument(f32, Access::write, n * m), z = b.argument(i64, Access::write, n * m);
  const auto w = b.argument(boolean, Access::write, n * m),
             q = b.argument(i8, Access::write, n * m);
  const Extent i = b.grid(n), j = b.grid(m), at = i * m + j;
  b.stage();
  const ValueId hot = b.compute(Op::eq, boolean, {b.index(j), b.load(label, i)});
  const ValueId both = b.compute(Op::bitwise_or, boolean, {hot, b.load(mask, at)});
  const ValueId wide = b.compute(Op::cast, f32, {b.load(byte, j)});
  const ValueId v = b.load(x, at);
  const ValueId chosen = b.compute(Op::select, f32, {both, wide, v});
  b.store(y, at, b.compute(Op::add, f32, {chosen, b.compute(Op::cast, f32, {both})}));
  const ValueId scaled = b.compute(Op::mul, f32, {v, b.number(100, f32)});
  const ValueId whole = b.compute(Op::cast, i64, {scaled});
  b.store(z, at, b.compute(Op::select, i64, {both, b.index(at), whole}));
  b.store(
      w, at,
      b.compute(Op::lt, boolean, {both, b.compute(Op::lt, boolean, {whole, b.number(5, i64)})}));
  b.store(q, at, b.compute(Op::cast, i8, {scaled}));
  return b.kernel;
}

// Divisions that may fault: by each element, by one divisor per column, by a scalar, and by padded
// elements.
inline Kernel divided(const std::string& name, Sizes& sizes, DType dtype) {
  KernelBuilder b(name, VectorAxis::grid);
  const Extent n = sizes(b), m = sizes(b);
  const auto x = b.argument(dtype, Access::read, n * m), w = b.argument(dtype, Access::read, m);
  const auto s = b.argument(dtype, Access::read, 1), y = b.argument(dtype, Access::write, n * m);
  const Extent i = b.grid(n), j = b.grid(m);
  b.stage();
  const Extent at = i * m + j;
  const Vector<Guard> inside{{i, 1, n}, {j, 2, m - 1}};
  ValueId rest = b.load(x, at);
  for (const ValueId divisor :
       {b.divisor(b.load(s, 0), dtype, 0, {{0, 0, n * m}}),
        b.divisor(b.load(x, at), dtype, at, inside), b.divisor(b.load(w, j), dtype, at),
        b.divisor(b.load(x, at), dtype, at)}) {
    rest = b.compute(Op::remainder, dtype, {rest, divisor});
  }
  b.store(y, at, rest);
  return b.kernel;
}

inline Kernel binary(const std::string& name, Sizes& sizes, Op op, DType dtype) {
  KernelBuilder b(name, VectorAxis::grid);
  const Extent n = sizes(b);
  const DType result = info(op).gives == Gives::boolean ? boolean : dtype;
  const auto x = b.argument(dtype, Access::read, n), y = b.argument(dtype, Access::read, n);
  const auto z = b.argument(result, Access::write, n);
  const Extent i = b.grid(n);
  b.stage();
  const ValueId lhs = b.load(x, i);
  std::vector<ValueId> operands{lhs};
  if (info(op).arity == 2) operands.push_back(b.load(y, i));
  b.store(z, i, b.compute(op, result, operands));
  return b.kernel;
}

inline Kernel conversion(const std::string& name, Sizes& sizes, DType from, DType to) {
  KernelBuilder b(name, VectorAxis::grid);
  const Extent n = sizes(b);
  const auto x = b.argument(from, Access::read, n), y = b.argument(to, Access::write, n);
  const Extent i = b.grid(n);
  b.stage();
  const ValueId v = b.load(x, i);
  const ValueId large =
      is_floating(from) ? b.compute(Op::mul, from, {b.compute(Op::mul, from, {v, v}), v}) : v;
  b.store(y, i, b.compute(Op::cast, to, {large}));
  return b.kernel;
}

}  // namespace kernels
