#include <doctest/doctest.h>
#include <sinter/base/text.hpp>
#include <sinter/codegen/text/scalar.hpp>

#include <array>
#include <cmath>
#include <cstdlib>

using namespace sinter;
using namespace sinter::detail;
using codegen::ValueType;

TEST_CASE("scalar: literals of floating numbers are hexadecimal and read back as the same number") {
  for (const double value : {0.1, -3.0e-5, 1e300, 5e-324, 123456789.0}) {
    std::string digits = codegen::literal(constant(value, f64));
    if (digits[0] == '(') digits = digits.substr(1);
    CHECK(std::strtod(digits.c_str(), nullptr) == value);
    CHECK(digits.find("0x") != std::string::npos);
  }
  CHECK(codegen::literal(constant(0.5, f32)) == "0x1p-1f");
  CHECK(codegen::literal(constant(-0.0, f32)) == "(-0x0p+0f)");
  CHECK(codegen::literal(constant(-INFINITY, f64)) == "(-__builtin_inf())");
  CHECK(codegen::literal(constant(NAN, bf16)) == "__builtin_nanf(\"\")");
}

TEST_CASE("scalar: literals of integers include the smallest") {
  CHECK(codegen::literal(constant(-7, i32)) == "(-7)");
  CHECK(codegen::literal(constant(std::int64_t{1} << 40)) == "1099511627776l");
  CHECK(codegen::literal(constant(std::numeric_limits<std::int64_t>::min())) ==
        "(-9223372036854775807l - 1)");
  CHECK(codegen::literal(constant(std::numeric_limits<std::int32_t>::min(), i32)) ==
        "(-2147483647 - 1)");
  CHECK(codegen::literal(constant(true)) == "true");
}

TEST_CASE("scalar: every elementwise operation is emitted for every dtype that it supports") {
  const std::array<std::string, 3> operands{"a", "b", "c"};
  for (std::size_t i = 0; i < op_count; ++i) {
    const Op op = static_cast<Op>(i);
    if (!is_elementwise(op) || op == Op::custom_elementwise) continue;  // of a text
    for (std::size_t d = 0; d < dtype_table.size(); ++d) {
      const DType dtype = static_cast<DType>(d);
      if (!takes(info(op).takes, dtype)) continue;
      const DType result = info(op).gives == Gives::boolean ? boolean : dtype;
      for (const int lanes : {1, 8}) {
        const ValueType from{dtype, lanes}, to{result, lanes};
        CHECK_MESSAGE(!codegen::apply(op, operands, from, to).empty(), op, " ", dtype);
      }
    }
  }
}

TEST_CASE("scalar: operands are substituted into the form of their operation") {
  const std::array<std::string, 3> operands{"v1", "v2", "v3"};
  const ValueType number{f32}, vector{f32, 16}, truth{boolean}, truths{boolean, 16};
  CHECK(codegen::apply(Op::add, operands, number, number) == "v1 + v2");
  CHECK(codegen::apply(Op::exp, operands, vector, vector) == "exp_f32x16(v1)");
  CHECK(codegen::apply(Op::lt, operands, vector, truths) == "v1 < v2");
  CHECK(codegen::apply(Op::lt, operands, truth, truth) == "v2 & (v1 == 0)");
  CHECK(codegen::apply(Op::select, operands, number, number) == "v1 ? v2 : v3");
}

TEST_CASE("scalar: in CUDA, signed arithmetic is done in unsigned types, which wrap") {
  const std::array<std::string, 2> operands{"v1", "v2"};
  for (const DType dtype : {i32, i64}) {
    const ValueType type{dtype};
    const std::string suffix = codegen::suffix(type);
    CHECK(codegen::apply_in_cuda(Op::add, operands, type, type) ==
          text("add_", suffix, "(v1, v2)"));
    CHECK(codegen::apply_in_cuda(Op::sub, operands, type, type) ==
          text("sub_", suffix, "(v1, v2)"));
    CHECK(codegen::apply_in_cuda(Op::mul, operands, type, type) ==
          text("mul_", suffix, "(v1, v2)"));
    CHECK(codegen::apply_in_cuda(Op::neg, operands, type, type) == text("neg_", suffix, "(v1)"));
    CHECK(codegen::apply_in_cuda(Op::bitwise_and, operands, type, type) == "v1 & v2");
  }
  for (const DType dtype : {u8, i16, f32, f64, boolean}) {
    const ValueType type{dtype};
    CHECK(codegen::apply_in_cuda(Op::add, operands, type, type) ==
          codegen::apply(Op::add, operands, type, type));
  }
}

TEST_CASE("scalar: masks are converted for select and comparisons of other widths") {
  const std::array<std::string, 3> operands{"v1", "v2", "v3"};
  const ValueType wide{i64, 16}, truths{boolean, 16};
  CHECK(codegen::apply(Op::lt, operands, wide, truths) ==
        "__builtin_convertvector(is_less_i64x16(v1, v2), i32x16)");
  CHECK(codegen::apply(Op::lt, operands, ValueType{f64, 16}, truths) ==
        "__builtin_convertvector(v1 < v2, i32x16)");
  CHECK(codegen::apply(Op::select, operands, wide, wide) ==
        "__builtin_convertvector(v1, i64x16) ? v2 : v3");
}

TEST_CASE("scalar: casts saturate from floating numbers and wrap between integers") {
  const std::array<std::string, 1> operand{"v1"};
  const auto cast_text = [&](ValueType from, ValueType to) {
    return codegen::apply(Op::cast, operand, from, to);
  };
  CHECK(cast_text({f32}, {i8}) == "saturate_i8_f32(v1)");
  CHECK(cast_text({i64}, {i8}) == "(signed char)v1");
  CHECK(cast_text({bf16}, {f32}) == "v1");
  CHECK(cast_text({f64, 8, i64}, {boolean, 8, i64}) == "v1 != 0");
  CHECK(cast_text({boolean, 16}, {f32, 16}) == "__builtin_convertvector(-v1, f32x16)");
}

TEST_CASE("scalar: reductions start from their identity") {
  CHECK(codegen::neutral(Op::sum, f32) == constant(0, f32));
  CHECK(codegen::neutral(Op::max, i8) == constant(-128, i8));
  CHECK(codegen::neutral(Op::min, i64) == constant(std::numeric_limits<std::int64_t>::max()));
  CHECK(codegen::neutral(Op::max, f32).floating() == -INFINITY);
  CHECK(codegen::neutral(Op::min, boolean) == constant(true));
  CHECK(codegen::combining(Op::prod) == Op::mul);
}
