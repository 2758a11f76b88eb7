#pragma once
// Products of every kind, and plain loops that compute them.

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cases.hpp"
#include "runner.hpp"

namespace kernels {

enum class Before { nothing, scale };
enum class After { nothing, bias_gelu, residual };

/// (batch, m, depth) times (batch, depth, n).
struct ProductCase {
  DType dtype = bf16;  ///< Of the operands.
  DType sum = bf16;    ///< Of the sums and results.
  bool left_transposed = false, right_transposed = false;
  Before before = Before::nothing;
  After after = After::nothing;
  bool tf32 = false;  ///< Whether operands are rounded to TF32.
};

/// To 11 bits, ties away from zero.
inline double as_tf32(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return static_cast<double>(std::bit_cast<float>((bits + 0x1000) & 0xffffe000));
}

inline std::string to_string(const ProductCase& one) {
  return text(one.dtype, "_", one.sum, one.left_transposed ? "_lt" : "",
              one.right_transposed ? "_rt" : "", one.before == Before::scale ? "_scale" : "",
              one.after == After::bias_gelu  ? "_gelu"
              : one.after == After::residual ? "_residual"
                                             : "");
}

/// What a kernel knows of its sizes: their values, nothing, or an upper bound.
enum class KnownSizes { exactly, nothing, limits };

/// The buffers: x, w, a factor per step of the depth, a bias, an added matrix; the result.
inline Kernel product_of(const std::string& name, const std::vector<std::int64_t>& shape,
                         KnownSizes known, const ProductCase& one) {
  KernelBuilder b(name, VectorAxis::grid);
  std::vector<Extent> sizes;
  for (const std::int64_t size : shape) {
    sizes.push_back(known == KnownSizes::exactly   ? Extent(size)
                    : known == KnownSizes::nothing ? b.symbol()
                                                   : b.symbol(0, size));
  }
  const Extent batch = sizes[0], m = sizes[1], n = sizes[2], depth = sizes[3];
  const auto x = b.argument(one.dtype, Access::read, batch * m * depth);
  const auto w = b.argument(one.dtype, Access::read, batch * depth * n);
  const auto scale = b.argument(f32, Access::read, depth);
  const auto bias = b.argument(one.sum, Access::read, n);
  const auto residual = b.argument(one.sum, Access::read, batch * m * n);
  const auto y = b.argument(one.sum, Access::write, batch * m * n);
  const Extent g = b.grid(batch), i = b.grid(m, 4), j = b.grid(n, 2);
  b.stage();
  const Extent k = b.loop(depth);
  const Extent row = one.left_transposed ? (g * depth + k) * m + i : (g * m + i) * depth + k;
  const Extent column = one.right_transposed ? (g * n + j) * depth + k : (g * depth + k) * n + j;
  ValueId lhs = b.load(x, row), rhs = b.load(w, column);
  if (one.before == Before::scale) {  // as for a norm
    lhs = b.compute(Op::mul, f32, {b.compute(Op::cast, f32, {lhs}), b.load(scale, k)});
    lhs = b.compute(Op::cast, one.dtype, {lhs});
  }
  if (one.sum != one.dtype) {
    lhs = b.compute(Op::cast, one.sum, {lhs});
    rhs = b.compute(Op::cast, one.sum, {rhs});
  }
  const ValueId sum = b.reduce(Op::sum, one.sum, b.compute(Op::mul, one.sum, {lhs, rhs}));
  b.stage();
  ValueId result = sum;
  if (one.after == After::bias_gelu) {
    const ValueId v = b.compute(Op::add, one.sum, {sum, b.load(bias, j)});
    const ValueId half = b.compute(Op::mul, one.sum, {v, b.number(0.7071067811865476, one.sum)});
    const ValueId erf = b.compute(Op::erf, one.sum, {half});
    const ValueId more = b.compute(Op::add, one.sum, {erf, b.number(1, one.sum)});
    result = b.compute(Op::mul, one.sum,
                       {b.compute(Op::mul, one.sum, {v, b.number(0.5, one.sum)}), more});
  } else if (one.after == After::residual) {
    result = b.compute(Op::add, one.sum, {sum, b.load(residual, (g * m + i) * n + j)});
  }
  b.store(y, (g * m + i) * n + j, result);
  return b.kernel;
}

/// The operands of a product, and its result by plain loops.
class PlainProduct {
 public:
  PlainProduct(const ProductCase& one, const std::vector<std::int64_t>& shape)
      : one_(one), batch_(shape[0]), m_(shape[1]), n_(shape[2]), depth_(shape[3]) {
    const DType dtypes[]{one.dtype, one.dtype, f32, one.sum, one.sum, one.sum};
    const std::int64_t counts[]{batch_ * m_ * depth_, batch_ * depth_ * n_, depth_, n_,
                                batch_ * m_ * n_,     batch_ * m_ * n_};
    for (std::size_t i = 0; i < 6; ++i) {
      Data& data = arguments.emplace_back(Data{dtypes[i], {}});
      for (std::int64_t at = 0; at < counts[i]; ++at) {
        data.elements.push_back(
            input_element(dtypes[i], static_cast<std::uint64_t>(at) + 1000 * i, {}));
      }
    }
  }

  double result(std::int64_t g, std::int64_t i, std::int64_t j) const {
    double sum = 0;
    for (std::int64_t k = 0; k < depth_; ++k) {
      const std::int64_t row =
          one_.left_transposed ? (g * depth_ + k) * m_ + i : (g * m_ + i) * depth_ + k;
      const std::int64_t column =
          one_.right_transposed ? (g * n_ + j) * depth_ + k : (g * depth_ + k) * n_ + j;
      const double scale = one_.before == Before::scale ? number(2, k) : 1;
      const double x = number(0, row) * scale, w = number(1, column);
      sum += one_.tf32 ? as_tf32(x) * as_tf32(w) : x * w;
    }
    if (one_.after == After::residual) return sum + number(4, (g * m_ + i) * n_ + j);
    if (one_.after == After::nothing) return sum;
    const double v = sum + number(3, j);
    return 0.5 * v * (1 + std::erf(v * 0.7071067811865476));
  }

  /// The first wrong element of `y`.
  std::string wrong(const Memory& y) const {
    for (std::int64_t at = 0; at < batch_ * m_ * n_; ++at) {
      const auto byte = static_cast<std::size_t>(at) * info(one_.sum).size;
      const Constant is = read_element(one_.sum, y.bytes.data() + Memory::border + byte);
      const double expected = result(at / n_ / m_, at / n_ % m_, at % n_);
      const Constant wanted = is_floating(one_.sum)
                                  ? constant(expected, one_.sum)
                                  : constant(static_cast<std::int64_t>(expected), one_.sum);
      if (!close(is, wanted, tolerance())) {
        return text("element ", at, " is ", is, ", expected ", wanted);
      }
    }
    return "";
  }

  std::vector<Data> arguments{};

 private:
  double tolerance() const {
    if (!is_floating(one_.sum)) return 0;
    if (one_.sum == f64) return 1e-12;
    if (one_.sum == f32) return 1e-5;
    const double ulp = one_.sum == bf16 ? 0x1p-8 : 0x1p-11;
    const bool rounds = one_.before == Before::scale;  // operands, too
    return rounds ? ulp * std::sqrt(static_cast<double>(depth_)) * 2 : ulp;
  }
  double number(std::size_t argument, std::int64_t at) const {
    const Constant& one = arguments[argument].elements[static_cast<std::size_t>(at)];
    return is_floating(one.dtype) ? one.floating() : static_cast<double>(one.integer());
  }

  ProductCase one_;
  std::int64_t batch_, m_, n_, depth_;
};

/// Calls a kernel whose sizes are `given`; returns the first error in its result.
inline std::string wrong_element(const ProductCase& one, const std::vector<std::int64_t>& shape,
                                 const std::vector<std::int64_t>& given, const Call& call) {
  const PlainProduct expected(one, shape);
  std::vector<Memory> memory;
  for (const Data& data : expected.arguments) memory.emplace_back(data, true);
  std::vector<void*> buffers;
  for (Memory& each : memory) buffers.push_back(each.begin());
  const std::vector<long> sizes(given.begin(), given.end());
  Context context;
  call(buffers.data(), sizes.data(), &context, 0, 1);
  if (context.fault != 0) return text("fault ", context.fault);
  return expected.wrong(memory.back());
}

}  // namespace kernels
