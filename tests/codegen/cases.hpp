#pragma once
// The kernels with which every emitter is tested.

#include <functional>
#include <string>
#include <vector>

#include "pointwise_kernels.hpp"
#include "reduction_kernels.hpp"
#include "row_kernels.hpp"

namespace kernels {

struct Case {
  std::string name{};
  std::function<Kernel(const std::string& name, Sizes& sizes)> build{};
  Vector<std::vector<std::int64_t>> sizes{};
  double tolerance = 4e-6;  ///< Of fast kernels, relative to 1 + |expected|.
  bool exact =
      false;  ///< Whether all its operations are those of IEEE: strict kernels give the same bits.
};

inline std::vector<Case> all_cases() {
  const Vector<std::vector<std::int64_t>> lines{{0}, {1}, {7}, {16}, {33}, {1000}};
  const Vector<std::vector<std::int64_t>> planes{{0, 5},  {5, 0},  {1, 1},   {3, 10},
                                                 {2, 16}, {5, 67}, {37, 129}};
  const Vector<std::vector<std::int64_t>> boxes{
      {1, 1, 1}, {3, 10, 0}, {9, 70, 33}, {4, 32, 64}, {5, 17, 130}};
  const Vector<std::vector<std::int64_t>> tables{{20, 13, 1}, {11, 30, 19}, {10, 3, 64}};
  std::vector<Case> all;
  using Build = std::function<Kernel(const std::string&, Sizes&)>;
  using Lists = Vector<std::vector<std::int64_t>>;
  const auto add = [&](std::string name, const Lists& sizes, const Build& build) -> Case& {
    return all.emplace_back(Case{std::move(name), build, sizes});
  };
  add("sin_sin", lines,
      [](auto& name, auto& s) { return unary_chain(name, s, Op::sin, Op::sin, f32); });
  add("sin_sin_f64", lines,
      [](auto& name, auto& s) { return unary_chain(name, s, Op::sin, Op::sin, f64); });
  add("bias_relu", planes, [](auto& name, auto& s) { return bias_relu(name, s, f32); });
  add("bias_relu_f64", planes, [](auto& name, auto& s) { return bias_relu(name, s, f64); });
  add("bias_relu_f16", planes, [](auto& name, auto& s) {
    return bias_relu(name, s, f16);
  }).tolerance = 4e-3;
  add("bias_relu_bf16", planes, [](auto& name, auto& s) {
    return bias_relu(name, s, bf16);
  }).tolerance = 3e-2;
  add("bias_relu_i32", planes, [](auto& name, auto& s) { return bias_relu(name, s, i32); });
  add("transposed", planes, transposed);
  add("softmax", planes, [](auto& name, auto& s) { return softmax(name, s, f32); });
  add("softmax_f64", planes, [](auto& name, auto& s) { return softmax(name, s, f64); });
  add("softmax_bf16", planes, [](auto& name, auto& s) {
    return softmax(name, s, bf16);
  }).tolerance = 3e-2;
  add("softmax_columns", planes, softmax_columns);
  add("columns_to_rows", planes, columns_to_rows);
  for (Case& one : all) one.exact = one.name.find("bias_relu") == 0;
  const std::size_t first = all.size();
  for (const Op op : {Op::sum, Op::prod, Op::max, Op::min, Op::argmax}) {
    for (const DType dtype : {f32, f64, i64, i8, f16, boolean}) {
      if (dtype == boolean && (op == Op::sum || op == Op::prod)) continue;
      const auto rows = [=](auto& name, auto& s) {
        return reduction(name, s, op, dtype, VectorAxis::stage);
      };
      const auto columns = [=](auto& name, auto& s) {
        return reduction(name, s, op, dtype, VectorAxis::grid);
      };
      add(text(op, "_rows_", dtype), planes, rows).tolerance = dtype == f16 ? 4e-2 : 2e-5;
      add(text(op, "_columns_", dtype), planes, columns).tolerance = dtype == f16 ? 4e-2 : 2e-5;
    }
  }
  add("full_mean", planes, full_mean).tolerance = 1e-5;
  for (const DType dtype : {f32, f64, i64, u8, bf16}) {
    for (const Op op : {Op::cumsum, Op::cumprod}) {
      for (const VectorAxis axis : {VectorAxis::none, VectorAxis::grid}) {
        const auto build = [=](auto& name, auto& s) { return cumulate(name, s, op, dtype, axis); };
        const bool columns = axis == VectorAxis::grid;
        add(text(op, columns ? "_columns_" : "_rows_", dtype), planes, build);
      }
    }
  }
  for (std::size_t i = 0; i < dtype_table.size(); ++i) {
    const auto dtype = static_cast<DType>(i);
    for (const bool descending : {false, true}) {
      add(text("argsort_rows_", dtype, descending), planes,
          [=](auto& name, auto& s) { return sorted_rows(name, s, dtype, descending); });
    }
    add(text("argsort_columns_", dtype), planes,
        [=](auto& name, auto& s) { return sorted_columns(name, s, dtype); });
  }
  for (std::size_t i = first; i < all.size(); ++i) all[i].exact = true;
  add("product", boxes, [](auto& name, auto& s) {
    return product(name, s, false, f32, 4, 2);
  }).tolerance = 2e-5;
  add("product_rows", boxes, [](auto& name, auto& s) {
    return product(name, s, true, f32, 4, 2);
  }).tolerance = 2e-5;
  add("product_f64", boxes, [](auto& name, auto& s) { return product(name, s, false, f64, 2, 2); });
  add("product_bf16", boxes, [](auto& name, auto& s) {
    return product(name, s, true, bf16, 1, 4);
  }).tolerance = 3e-2;
  const std::size_t moving = all.size();
  add("gather_rows", tables, gather_rows);
  add("gather_elements", {{10, 13}, {100, 7}, {10, 64}}, gather_elements);
  add("scatter", tables, scatter).tolerance = 1e-5;
  add("padded", planes, padded);
  for (const DType dtype : {f32, f64, i64}) {
    add(text("merged_heads_", dtype), {{1}, {5}, {33}},
        [=](auto& name, auto& s) { return merged_heads(name, s, dtype); });
  }
  add("strided", {{1}, {7}, {16}, {33}, {100}}, strided);
  for (const DType dtype : {f32, f64, bf16, boolean, i8, u8, i16, i64}) {
    for (const int step : {1, 2, 3}) {
      add(text("windows_", step, "_", dtype), planes,
          [=](auto& name, auto& s) { return windows(name, s, step, dtype); });
    }
  }
  add("dropout", planes, dropout);
  add("mixed", planes, mixed);
  for (const DType dtype : {u8, i8, i16, i32, i64}) {
    add(text("divided_", dtype), planes,
        [=](auto& name, auto& s) { return divided(name, s, dtype); });
    for (const Op op : {Op::abs, Op::sign, Op::bitwise_not, Op::floor_divide, Op::remainder,
                        Op::shift_left, Op::shift_right, Op::minimum, Op::le, Op::mul, Op::neg}) {
      add(text(op, "_", dtype), {{67}},
          [=](auto& name, auto& s) { return binary(name, s, op, dtype); });
    }
  }
  for (const Op op : {Op::bitwise_not, Op::add, Op::mul, Op::eq, Op::ne, Op::lt, Op::le, Op::gt,
                      Op::ge, Op::minimum, Op::maximum, Op::bitwise_xor}) {
    add(text(op, "_bool"), {{67}},
        [=](auto& name, auto& s) { return binary(name, s, op, boolean); });
  }
  for (const DType dtype : {f32, f64, f16}) {
    for (const Op op : {Op::abs, Op::sign, Op::floor, Op::sqrt, Op::floor_divide, Op::remainder,
                        Op::pow, Op::minimum, Op::maximum, Op::ne, Op::ge, Op::div}) {
      add(text(op, "_", dtype), {{67}}, [=](auto& name, auto& s) {
        return binary(name, s, op, dtype);
      }).tolerance = dtype == f16 ? 1e-2 : 4e-6;
    }
  }
  for (const DType from : {boolean, u8, i16, i64, f16, f32, f64}) {
    for (const DType to : {boolean, u8, i8, i32, i64, bf16, f32, f64}) {
      if (from == to) continue;
      add(text("cast_", from, "_", to), {{67}}, [=](auto& name, auto& s) {
        return conversion(name, s, from, to);
      }).tolerance = to == bf16 ? 1e-2 : 4e-3;
    }
  }
  for (std::size_t i = moving; i < all.size(); ++i) all[i].exact = all[i].name.find("pow") != 0;
  return all;
}

}  // namespace kernels
