#pragma once
// The kernels that every emitter is tested with.

#include <functional>
#include <string>
#include <vector>

#include "kernels.hpp"

namespace kernels {

/// The sizes of one kernel: numbers, or symbols whose values are the numbers.
class Sizes {
 public:
  Sizes(std::vector<std::int64_t> numbers, bool symbolic)
      : numbers_(std::move(numbers)), symbolic_(symbolic) {}

  Extent operator()(Builder& builder) {
    const std::int64_t number = numbers_.at(next_++);
    return symbolic_ ? builder.symbol() : Extent(number);
  }

 private:
  std::vector<std::int64_t> numbers_;
  std::size_t next_ = 0;
  bool symbolic_;
};

struct Case {
  std::string name{};
  std::function<Kernel(const std::string& name, Sizes& sizes)> build{};
  std::vector<std::vector<std::int64_t>> sizes{};
  double tolerance = 4e-6;  ///< Of fast kernels, relative to 1 + |expected|.
  std::int64_t integers = 9;  ///< Integers of the inputs lie in [-integers, integers].
};

inline Kernel unary_chain(const std::string& name, Sizes& sizes, Op first, Op second, DType dtype) {
  Builder b(name, VectorAxis::grid);
  const Extent n = sizes(b);
  const auto x = b.argument(dtype, Access::read, n), y = b.argument(dtype, Access::write, n);
  const Extent i = b.grid(n);
  b.stage();
  b.store(y, i, b.compute(second, dtype, {b.compute(first, dtype, {b.load(x, i)})}));
  return b.kernel;
}

inline Kernel bias_relu(const std::string& name, Sizes& sizes, DType dtype) {
  Builder b(name, VectorAxis::grid);
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
  Builder b(name, VectorAxis::grid);
  const Extent n = sizes(b), m = sizes(b);
  const auto x = b.argument(f32, Access::read, n * m), y = b.argument(f32, Access::write, n * m);
  const Extent i = b.grid(m), j = b.grid(n);
  b.stage();
  b.store(y, i * n + j, b.compute(Op::neg, f32, {b.load(x, j * m + i)}));
  return b.kernel;
}

inline Kernel softmax(const std::string& name, Sizes& sizes, DType dtype) {
  Builder b(name, VectorAxis::stage);
  const Extent n = sizes(b), m = sizes(b);
  const auto x = b.argument(dtype, Access::read, n * m), y = b.argument(dtype, Access::write, n * m);
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

// Over axis 0, each lane a column of its own, with a local row for each of them.
inline Kernel softmax_columns(const std::string& name, Sizes& sizes) {
  Builder b(name, VectorAxis::grid);
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

inline Kernel reduction(const std::string& name, Sizes& sizes, Op op, DType dtype, VectorAxis axis) {
  Builder b(name, axis);
  const Extent n = sizes(b), m = sizes(b);
  const bool columns = axis == VectorAxis::grid;
  const Extent outer = columns ? m : n, inner = columns ? n : m;
  const DType result = op == Op::argmax ? i64 : dtype;
  const auto x = b.argument(dtype, Access::read, n * m), y = b.argument(result, Access::write, outer);
  const Extent i = b.grid(outer);
  const Extent k = b.stage().loop(inner);
  const ValueId value = b.load(x, columns ? k * m + i : i * m + k);
  const ValueId best = b.reduce(op, result, value, op == Op::argmax ? k : Extent(0));
  b.stage();
  b.store(y, i, best);
  return b.kernel;
}

// The sum of all elements of two axes: no grid at all.
inline Kernel full_mean(const std::string& name, Sizes& sizes) {
  Builder b(name, VectorAxis::stage);
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
  Builder b(name, by_rows ? VectorAxis::stage : VectorAxis::grid);
  const Extent n = sizes(b), m = sizes(b), depth = sizes(b);
  const auto x = b.argument(dtype, Access::read, n * depth), w = b.argument(dtype, Access::read, depth * m);
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

// table[indices], where `inner` elements stay together; no elements: one by one.
inline Kernel gather_rows(const std::string& name, Sizes& sizes) {
  Builder b(name, VectorAxis::grid);
  const Extent rows = sizes(b), count = sizes(b), m = sizes(b);
  const auto t = b.argument(f32, Access::read, rows * m), at = b.argument(i64, Access::read, count);
  const auto y = b.argument(f32, Access::write, count * m);
  const Extent i = b.grid(count), j = b.grid(m);
  b.stage();
  const Extent row = b.bind(b.load(at, i), rows);
  b.store(y, i * m + j, b.load(t, row * m + j));
  return b.kernel;
}

inline Kernel gather_elements(const std::string& name, Sizes& sizes) {
  Builder b(name, VectorAxis::grid);
  const Extent rows = sizes(b), count = sizes(b);
  const auto t = b.argument(f32, Access::read, rows), at = b.argument(i64, Access::read, count);
  const auto y = b.argument(f32, Access::write, count);
  const Extent i = b.grid(count);
  b.stage();
  const Extent row = b.bind(b.load(at, i), rows);
  b.store(y, i, b.load(t, row));
  return b.kernel;
}

inline Kernel scatter(const std::string& name, Sizes& sizes) {
  Builder b(name, VectorAxis::grid);
  const Extent rows = sizes(b), count = sizes(b), m = sizes(b);
  const auto y = b.argument(f32, Access::read_write, rows * m), at = b.argument(i64, Access::read, count);
  const auto x = b.argument(f32, Access::read, count * m);
  const Extent i = b.grid(count), j = b.grid(m);
  b.kernel.serial = true;
  b.stage();
  const Extent row = b.bind(b.load(at, i), rows);
  b.store(y, row * m + j, b.load(x, i * m + j), true);
  return b.kernel;
}

// A border of 2 before and 1 behind, on both axes, around every other element.
inline Kernel padded(const std::string& name, Sizes& sizes) {
  Builder b(name, VectorAxis::grid);
  const Extent n = sizes(b), m = sizes(b);
  const auto x = b.argument(f32, Access::read, n * m);
  const auto y = b.argument(f32, Access::write, (n + 3) * (m + 3));
  const auto z = b.argument(boolean, Access::write, (n + 3) * (m + 3));
  const Extent i = b.grid(n + 3), j = b.grid(m + 3);
  b.stage();
  const std::vector<Guard> guards{{i - 2, 0, n}, {j - 2, 0, m}};
  const ValueId v = b.load(x, (i - 2) * m + (j - 2), guards, constant(-1.5, f32));
  b.store(y, i * (m + 3) + j, b.compute(Op::abs, f32, {v}));
  b.store(z, i * (m + 3) + j, b.inside(guards));
  return b.kernel;
}

// Reversed, in strides, and by division: what is no vector in memory.
inline Kernel strided(const std::string& name, Sizes& sizes) {
  Builder b(name, VectorAxis::grid);
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
  Builder b(name, VectorAxis::grid);
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

// Numbers of every width that meet in one kernel; a one-hot row beside them.
inline Kernel mixed(const std::string& name, Sizes& sizes) {
  Builder b(name, VectorAxis::grid);
  const Extent n = sizes(b), m = sizes(b);
  const auto label = b.argument(i64, Access::read, n), mask = b.argument(boolean, Access::read, n * m);
  const auto byte = b.argument(u8, Access::read, m), x = b.argument(f32, Access::read, n * m);
  const auto y = b.argument(f32, Access::write, n * m), z = b.argument(i64, Access::write, n * m);
  const auto w = b.argument(boolean, Access::write, n * m), q = b.argument(i8, Access::write, n * m);
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
  b.store(w, at, b.compute(Op::lt, boolean, {both, b.compute(Op::lt, boolean, {whole, b.number(5, i64)})}));
  b.store(q, at, b.compute(Op::cast, i8, {scaled}));
  return b.kernel;
}

inline Kernel binary(const std::string& name, Sizes& sizes, Op op, DType dtype) {
  Builder b(name, VectorAxis::grid);
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
  Builder b(name, VectorAxis::grid);
  const Extent n = sizes(b);
  const auto x = b.argument(from, Access::read, n), y = b.argument(to, Access::write, n);
  const Extent i = b.grid(n);
  b.stage();
  const ValueId v = b.load(x, i);
  const ValueId large = is_floating(from)
                            ? b.compute(Op::mul, from, {b.compute(Op::mul, from, {v, v}), v})
                            : v;
  b.store(y, i, b.compute(Op::cast, to, {large}));
  return b.kernel;
}

inline std::vector<Case> all_cases() {
  const std::vector<std::vector<std::int64_t>> lines{{0}, {1}, {7}, {16}, {33}, {1000}};
  const std::vector<std::vector<std::int64_t>> planes{{0, 5}, {5, 0}, {1, 1}, {3, 10},
                                                      {2, 16}, {5, 67}, {37, 129}};
  const std::vector<std::vector<std::int64_t>> boxes{{1, 1, 1}, {3, 10, 0}, {9, 70, 33}, {4, 32, 64}, {5, 17, 130}};
  const std::vector<std::vector<std::int64_t>> tables{{20, 13, 1}, {11, 30, 19}, {10, 3, 64}};
  std::vector<Case> all;
  using Build = std::function<Kernel(const std::string&, Sizes&)>;
  using Lists = std::vector<std::vector<std::int64_t>>;
  const auto add = [&](std::string name, const Lists& sizes, const Build& build) -> Case& {
    return all.emplace_back(Case{std::move(name), build, sizes});
  };
  add("sin_sin", lines, [](auto& name, auto& s) { return unary_chain(name, s, Op::sin, Op::sin, f32); });
  add("sin_sin_f64", lines, [](auto& name, auto& s) { return unary_chain(name, s, Op::sin, Op::sin, f64); });
  add("bias_relu", planes, [](auto& name, auto& s) { return bias_relu(name, s, f32); });
  add("bias_relu_f64", planes, [](auto& name, auto& s) { return bias_relu(name, s, f64); });
  add("bias_relu_f16", planes, [](auto& name, auto& s) { return bias_relu(name, s, f16); }).tolerance = 4e-3;
  add("bias_relu_bf16", planes, [](auto& name, auto& s) { return bias_relu(name, s, bf16); }).tolerance = 3e-2;
  add("bias_relu_i32", planes, [](auto& name, auto& s) { return bias_relu(name, s, i32); });
  add("transposed", planes, transposed);
  add("softmax", planes, [](auto& name, auto& s) { return softmax(name, s, f32); });
  add("softmax_f64", planes, [](auto& name, auto& s) { return softmax(name, s, f64); });
  add("softmax_bf16", planes, [](auto& name, auto& s) { return softmax(name, s, bf16); }).tolerance = 3e-2;
  add("softmax_columns", planes, softmax_columns);
  for (const Op op : {Op::sum, Op::prod, Op::max, Op::min, Op::argmax}) {
    for (const DType dtype : {f32, f64, i64, i8, f16, boolean}) {
      if (dtype == boolean && (op == Op::sum || op == Op::prod)) continue;
      const auto rows = [=](auto& name, auto& s) { return reduction(name, s, op, dtype, VectorAxis::stage); };
      const auto columns = [=](auto& name, auto& s) { return reduction(name, s, op, dtype, VectorAxis::grid); };
      add(text(op, "_rows_", dtype), planes, rows).tolerance = dtype == f16 ? 4e-2 : 2e-5;
      add(text(op, "_columns_", dtype), planes, columns).tolerance = dtype == f16 ? 4e-2 : 2e-5;
    }
  }
  add("full_mean", planes, full_mean).tolerance = 1e-5;
  add("product", boxes, [](auto& name, auto& s) { return product(name, s, false, f32, 4, 2); }).tolerance = 2e-5;
  add("product_rows", boxes, [](auto& name, auto& s) { return product(name, s, true, f32, 4, 2); }).tolerance = 2e-5;
  add("product_f64", boxes, [](auto& name, auto& s) { return product(name, s, false, f64, 2, 2); });
  add("product_bf16", boxes, [](auto& name, auto& s) { return product(name, s, true, bf16, 1, 4); }).tolerance = 3e-2;
  add("gather_rows", tables, gather_rows);
  add("gather_elements", {{10, 13}, {100, 7}, {10, 64}}, gather_elements);
  add("scatter", tables, scatter).tolerance = 1e-5;
  add("padded", planes, padded);
  add("strided", {{1}, {7}, {16}, {33}, {100}}, strided);
  add("dropout", planes, dropout);
  add("mixed", planes, mixed);
  for (const DType dtype : {u8, i8, i16, i32, i64}) {
    for (const Op op : {Op::abs, Op::sign, Op::bitwise_not, Op::floor_divide, Op::remainder, Op::shift_left,
                        Op::shift_right, Op::minimum, Op::le, Op::mul, Op::neg}) {
      add(text(op, "_", dtype), {{67}}, [=](auto& name, auto& s) { return binary(name, s, op, dtype); });
    }
  }
  for (const Op op : {Op::bitwise_not, Op::add, Op::mul, Op::eq, Op::ne, Op::lt, Op::le, Op::gt, Op::ge,
                      Op::minimum, Op::maximum, Op::bitwise_xor}) {
    add(text(op, "_bool"), {{67}}, [=](auto& name, auto& s) { return binary(name, s, op, boolean); });
  }
  for (const DType dtype : {f32, f64, f16}) {
    for (const Op op : {Op::abs, Op::sign, Op::floor, Op::sqrt, Op::floor_divide, Op::remainder, Op::pow,
                        Op::minimum, Op::maximum, Op::ne, Op::ge, Op::div}) {
      add(text(op, "_", dtype), {{67}}, [=](auto& name, auto& s) { return binary(name, s, op, dtype); })
          .tolerance = dtype == f16 ? 1e-2 : 4e-6;
    }
  }
  for (const DType from : {boolean, u8, i16, i64, f16, f32, f64}) {
    for (const DType to : {boolean, u8, i8, i32, i64, bf16, f32, f64}) {
      if (from == to) continue;
      add(text("cast_", from, "_", to), {{67}}, [=](auto& name, auto& s) { return conversion(name, s, from, to); })
          .tolerance = to == bf16 ? 1e-2 : 4e-3;
    }
  }
  return all;
}

}  // namespace kernels
