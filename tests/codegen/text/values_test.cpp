#include <doctest/doctest.h>
#include <sinter/codegen/text/values.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "harness.hpp"
#include "texts.hpp"

using namespace kernels;

TEST_CASE("values: loop-invariant values are hoisted") {
  Sizes sizes({8, 64}, false);
  const std::string text = cpp_text(bias_relu("bias_relu", sizes, f32));
  CHECK(in_order(text, "v1 = in2[0]", "for ("));            // the scale, once
  CHECK(in_order(text, "s1 = splat_f32x16(v1)", "for ("));  // and in all lanes
  CHECK(count(text, "splat_f32x16(0x0p+0f)") == 1);
}

TEST_CASE("values: scalars are inlined, vectors are named") {
  Sizes sizes({8, 64}, false);
  const std::string vectors = cpp_text(bias_relu("bias_relu", sizes, f32));
  Sizes again({8, 64}, false);
  const std::string numbers =
      cpp_text(bias_relu("bias_relu", again, f32), {.target = {.vectors = {.bits = 0}}});
  CHECK(contains(vectors, "< s5;"));
  CHECK(contains(numbers, "< 0x0p+0f;"));
}

TEST_CASE("values: 16-bit numbers are rounded at stores; if strict, at every operation") {
  Sizes sizes({8, 64}, false), again({8, 64}, false);
  CHECK(count(cpp_text(bias_relu("b", sizes, bf16)), "round_bf16") == 0);
  CHECK(count(cpp_text(bias_relu("b", again, bf16), {.strict = true}), "round_bf16x16(") >= 3);
}

TEST_CASE("values: strict products are not contracted with the sums that they enter") {
  Sizes sizes({8, 64}, false);
  const std::string text = cpp_text(bias_relu("b", sizes, f32), {.strict = true});
  CHECK(contains(text, "product_f32x16(v0 * s1)"));
}

TEST_CASE("values: remarks are on the line of the value") {
  Sizes sizes({64}, false);
  CHECK(contains(cpp_text(unary_chain("a", sizes, Op::exp, Op::sin, f32)), "// sin\n"));
}

TEST_CASE("values: expensive operations are function calls if a tile has many of them") {
  Sizes tile({64, 64, 32}, false), line({1000}, false);
  Kernel many = product("p", tile, false, f32, 4, 2);
  many.serial = true;  // otherwise it would be emitted as a product
  CHECK(contains(cpp_text(many), "= call_tanh_f32x16("));
  CHECK_FALSE(contains(cpp_text(unary_chain("a", line, Op::tanh, Op::tanh, f32)), "call_"));
}

TEST_CASE("values: divisors are tested once per vector, lane by lane only where one is 0") {
  Sizes plane({64, 64}, false), again({64, 64}, false);
  const std::string vectors = cpp_text(divided("divided", plane, i32));
  CHECK(in_order(vectors, "const int v2 = nonzero_i32(v1);", "for ("));
  CHECK(in_order(vectors, "if (v1 == 0) report(context, 1, 0, 0, 0);", "for ("));
  CHECK(in_order(vectors, "if (has_zero_i32x16(", "for (long lane = 0; lane < 16; ++lane) if ("));
  CHECK(contains(vectors, "== 0 && 1 <= i0"));
  CHECK_FALSE(contains(cpp_text(binary("b", again, Op::floor_divide, i32)), "report"));
}

TEST_CASE("values: positions are compared with a number as lane numbers, not as 64-bit integers") {
  kernels::KernelBuilder b("one_hot", VectorAxis::grid);
  const auto x = b.argument(i64, Access::read, 1), y = b.argument(f32, Access::write, 100);
  const Extent i = b.grid(100);
  b.stage();
  const auto chosen = b.load(x, 0), here = b.index(i);
  const auto hit = b.compute(Op::eq, boolean, {here, chosen});
  b.store(y, i, b.compute(Op::select, f32, {hit, b.number(1, f32), b.number(0, f32)}));
  const std::string text = cpp_text(b.kernel);
  CHECK(contains(text, "= lane_equal_i32x16(i0, v0);"));
  CHECK_FALSE(contains(text, "i64x16"));
}

TEST_CASE("values: comparisons of positions hold in both orders, and for numbers far outside") {
  const Op comparisons[] = {Op::eq, Op::ne, Op::lt, Op::le, Op::gt, Op::ge};
  Vector<Source> sources;
  for (const bool swapped : {false, true}) {
    for (const Op op : comparisons) {
      kernels::KernelBuilder b(text(op, swapped ? "_number" : "_position"), VectorAxis::grid);
      const auto x = b.argument(i64, Access::read, 1), y = b.argument(boolean, Access::write, 37);
      const Extent i = b.grid(37);
      b.stage();
      const auto number = b.load(x, 0), here = b.index(i + 3);
      b.store(y, i, b.compute(op, boolean, {swapped ? number : here, swapped ? here : number}));
      sources.push_back(codegen::emit_cpp(b.kernel, {}));
    }
  }
  std::string all = codegen::cpp_prelude(sources);
  for (const Source& source : sources) all += source.text;
  const HostLibrary library(all);
  constexpr long most = std::numeric_limits<long>::max();
  for (const long number : {-most - 1, -1l, 2l, 3l, 4l, 18l, 19l, 39l, 40l, 1l << 32, most}) {
    for (std::size_t k = 0; k < sources.size(); ++k) {
      bool y[37];
      void* buffers[] = {const_cast<long*>(&number), y};
      Context context;
      library.function(sources[k].name)(buffers, nullptr, &context, 0, 1);
      for (long i = 0; i < 37; ++i) {
        const long lhs = k < 6 ? i + 3 : number, rhs = k < 6 ? number : i + 3;
        const bool wanted[] = {lhs == rhs, lhs != rhs, lhs<rhs, lhs <= rhs, lhs> rhs, lhs >= rhs};
        INFO(sources[k].name, " ", number, " ", i);
        CHECK(y[i] == wanted[k % 6]);
      }
    }
  }
}

namespace {

// x / d, where d is a scalar per row, or a vector along the rows.
Kernel quotients(const std::string& name, DType dtype, Extent rows, Extent columns, bool of_rows) {
  kernels::KernelBuilder b(name, VectorAxis::grid);
  const auto x = b.argument(dtype, Access::read, rows * columns);
  const auto d = b.argument(dtype, Access::read, of_rows ? rows : columns);
  const auto y = b.argument(dtype, Access::write, rows * columns);
  const Extent i = of_rows ? b.grid(rows) : Extent(0), j = b.grid(columns);
  b.stage();
  const Extent k = of_rows ? i : b.loop(rows);
  const ValueId quotient =
      b.compute(Op::div, dtype, {b.load(x, k * columns + j), b.load(d, of_rows ? i : j)});
  b.store(y, k * columns + j, quotient);
  return b.kernel;
}

// Numbers at both ends of the range of T, in its middle, infinities and NaN.
template <class T>
std::vector<T> extremes() {
  using Limits = std::numeric_limits<T>;
  const T least = Limits::denorm_min(), normal = Limits::min(), most = Limits::max();
  std::vector<T> result{0,
                        least,
                        3 * least,
                        normal / 3,
                        normal * T(0.99),
                        normal,
                        normal * 3,
                        T(1e-20),
                        T(0.1),
                        1,
                        T(1) / 3,
                        3,
                        T(1.7e20),
                        most / 9,
                        most / 4,
                        most / 3,
                        most / T(1.5),
                        most,
                        Limits::infinity(),
                        Limits::quiet_NaN()};
  const std::size_t half = result.size();
  for (std::size_t i = 0; i < half; ++i) result.push_back(-result[i]);
  return result;
}

// The number of values of T between two of the same sign.
template <class T>
T steps_between(T a, T b) {
  const T step = std::max(std::nextafter(std::abs(b), T(INFINITY)) - std::abs(b),
                          std::numeric_limits<T>::denorm_min());
  return std::abs(a - b) / step;
}

template <class T>
void check_quotients(kernels::Function run, bool of_rows, T most_steps) {
  const std::vector<T> numbers = extremes<T>();
  const std::size_t count = numbers.size();
  std::vector<T> x(count * count), y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = numbers[of_rows ? i % count : i / count];
  void* buffers[] = {x.data(), const_cast<T*>(numbers.data()), y.data()};
  Context context;
  run(buffers, nullptr, &context, 0, 1);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const T divisor = numbers[of_rows ? i / count : i % count], wanted = x[i] / divisor;
    INFO(x[i], " / ", divisor, " = ", wanted, ", not ", y[i]);
    CHECK(std::isnan(y[i]) == std::isnan(wanted));
    CHECK((wanted != 0 || std::signbit(y[i]) == std::signbit(wanted)));
    if (std::isnan(wanted) || y[i] == wanted) continue;
    CHECK(std::isfinite(wanted));
    CHECK(steps_between(y[i], wanted) <= most_steps);
  }
}

}  // namespace

TEST_CASE("values: loop-invariant divisors become reciprocals, unless strict") {
  const auto text_of = [](Extent rows, Extent columns, bool strict) {
    return cpp_text(quotients("q", f32, rows, columns, true), {.strict = strict});
  };
  CHECK(in_order(text_of(8, 64, false), "reciprocal1 = splat_f32x16(1 / (v1 * ", "for (long i1"));
  CHECK(contains(text_of(8, 64, false), " = v0 * reciprocal1 * scale1;"));
  CHECK(contains(text_of(8, 64, true), " = v0 / s1;"));
  CHECK(contains(text_of(8, 16, false), " = v0 / s1;"));  // one vector: nothing is saved
}

TEST_CASE("values: products with a reciprocal are as precise as quotients over the whole range") {
  const auto count = static_cast<std::int64_t>(extremes<float>().size());
  Vector<Source> sources;
  for (const DType dtype : {f32, f64}) {
    for (const bool of_rows : {true, false}) {
      const std::string name = text("quotients_", dtype, of_rows ? "_rows" : "_columns");
      for (const bool strict : {false, true}) {
        const Kernel kernel =
            quotients(text(name, strict ? "_strict" : ""), dtype, count, count, of_rows);
        sources.push_back(codegen::emit_cpp(kernel, {.strict = strict}));
      }
    }
  }
  std::string all = codegen::cpp_prelude(sources);
  for (const Source& source : sources) all += source.text;
  const HostLibrary library(all);
  for (std::size_t k = 0; k < sources.size(); ++k) {
    const bool of_rows = k / 2 % 2 == 0, strict = k % 2 == 1;
    CHECK(contains(sources[k].text, "reciprocal") != strict);
    const kernels::Function run = library.function(sources[k].name);
    k < 4 ? check_quotients<float>(run, of_rows, strict ? 0.0f : 2.0f)
          : check_quotients<double>(run, of_rows, strict ? 0.0 : 2.0);
  }
}
