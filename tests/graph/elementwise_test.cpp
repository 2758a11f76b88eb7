#include <doctest/doctest.h>
#include <sinter/graph/elementwise.hpp>

#include <cmath>

using namespace sinter;
using namespace sinter::detail;

namespace {

// The result of `op` for one element or two.
template <class T>
T result_of(Op op, T x, T y = 0, int bits = 8 * sizeof(T)) {
  const auto of_one = [&](const auto& f) { return static_cast<T>(f(x)); };
  const auto of_two = [&](const auto& f) { return static_cast<T>(f(x, y)); };
  const bool unary = info(op).arity == 1;
  if constexpr (std::is_floating_point_v<T>) {
    return unary ? visit_floating_unary<T>(op, of_one) : visit_floating_binary<T>(op, of_two);
  } else {
    return unary ? visit_integral_unary<T>(op, bits, of_one)
                 : visit_integral_binary<T>(op, bits, of_two);
  }
}

}  // namespace

TEST_CASE("elementwise: every operation has a definition for each dtype that it takes") {
  for (std::size_t i = 0; i < op_count; ++i) {
    const Op op = static_cast<Op>(i);
    if (!is_elementwise(op)) continue;
    // Written where they are used.
    if (op == Op::cast || op == Op::select || op == Op::custom_elementwise) continue;
    INFO("include/sinter/graph/elementwise.hpp: ", to_string(op));
    if (info(op).gives == Gives::boolean) {
      CHECK_NOTHROW(visit_comparison<float>(op, [](const auto& f) { return f(1, 2); }));
      continue;
    }
    if (takes(info(op).takes, f32)) CHECK_NOTHROW(result_of<float>(op, 0.5f, 2));
    if (takes(info(op).takes, i32)) CHECK_NOTHROW(result_of<std::int32_t>(op, 5, 2));
  }
}

TEST_CASE("elementwise: integers wrap, and round down") {
  constexpr auto least = std::numeric_limits<std::int32_t>::min();
  CHECK(result_of(Op::neg, least) == least);
  CHECK(result_of(Op::add, least, -1) == std::numeric_limits<std::int32_t>::max());
  CHECK(result_of(Op::floor_divide, least, -1) == least);
  CHECK(result_of(Op::floor_divide, -7, 2) == -4);
  CHECK(result_of(Op::remainder, -7, 2) == 1);
  CHECK(result_of(Op::remainder, least, -1) == 0);
  CHECK(result_of(Op::shift_left, 1, 8, 8) == 0);
  CHECK(result_of(Op::shift_right, -8, 40) == -1);
  CHECK(result_of(Op::bitwise_not, 1, 0, 1) == 0);
}

TEST_CASE("elementwise: NaN is kept, and zeros have their sign") {
  CHECK(std::isnan(result_of(Op::minimum, std::nan(""), 1.0)));
  CHECK(std::isnan(result_of(Op::maximum, 1.0, std::nan(""))));
  CHECK(std::isnan(result_of(Op::sign, std::nan(""))));
  CHECK(std::signbit(result_of(Op::floor_divide, -0.0, 2.0)));
  CHECK(result_of(Op::remainder, -7.5, 2.0) == 0.5);
}

TEST_CASE("elementwise: an operation without a definition is an error that names the file") {
  CHECK_THROWS_WITH_AS(result_of<float>(Op::bitwise_not, 1),
                       doctest::Contains("graph/elementwise.hpp"), InternalError);
}
