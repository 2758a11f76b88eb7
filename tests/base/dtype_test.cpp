#include <doctest/doctest.h>
#include <sinter/base/dtype.hpp>

#include <sstream>
#include <string>
#include <vector>

using namespace sinter;
using namespace sinter::detail;

namespace {

// torch.promote_types of torch 2, a row for each dtype in the order of DType.
constexpr const char* torch_table = R"(
  bool u8  i8  i16 i32 i64 f16 bf16 f32 f64
  u8   u8  i16 i16 i32 i64 f16 bf16 f32 f64
  i8   i16 i8  i16 i32 i64 f16 bf16 f32 f64
  i16  i16 i16 i16 i32 i64 f16 bf16 f32 f64
  i32  i32 i32 i32 i32 i64 f16 bf16 f32 f64
  i64  i64 i64 i64 i64 i64 f16 bf16 f32 f64
  f16  f16 f16 f16 f16 f16 f16 f32  f32 f64
  bf16 bf16 bf16 bf16 bf16 bf16 f32 bf16 f32 f64
  f32  f32 f32 f32 f32 f32 f32 f32  f32 f64
  f64  f64 f64 f64 f64 f64 f64 f64  f64 f64
)";

std::vector<DType> all_dtypes() {
  std::vector<DType> result;
  for (std::size_t i = 0; i < dtype_table.size(); ++i) result.push_back(static_cast<DType>(i));
  return result;
}

OperandType tensor(DType dtype) { return {dtype, false}; }
OperandType number(DType dtype) { return {dtype, true}; }

}  // namespace

TEST_CASE("dtype: the size in the table is the size of the C++ type, for each") {
  for (const DType dtype : all_dtypes()) {
    INFO(to_string(dtype));
    visit_dtype(dtype, [&]<class T>(T) {
      CHECK(info(dtype).size == sizeof(T));
      CHECK(dtype_of<T> == dtype);
      CHECK(ElementType<T>);
    });
  }
  CHECK_FALSE(ElementType<char32_t>);
}

TEST_CASE("dtype: names are those that users type") {
  std::string names;
  for (const DType dtype : all_dtypes()) names += to_string(dtype) + " ";
  CHECK(names == "bool u8 i8 i16 i32 i64 f16 bf16 f32 f64 ");
}

TEST_CASE("dtype: each belongs to one category") {
  std::string categories;
  for (const DType dtype : all_dtypes()) {
    categories += std::to_string(category(dtype));
    CHECK(is_floating(dtype) == (category(dtype) == 2));
    CHECK(is_integer(dtype) == (category(dtype) == 1));
  }
  CHECK(categories == "0111112222");
}

TEST_CASE("computed_in: only the 16-bit floating dtypes are widened") {
  for (const DType dtype : all_dtypes()) {
    CHECK(computed_in(dtype) == (dtype == f16 || dtype == bf16 ? f32 : dtype));
  }
}

TEST_CASE("promote: two tensors meet as in torch, whatever their order") {
  std::istringstream table(torch_table);
  for (const DType a : all_dtypes()) {
    for (const DType b : all_dtypes()) {
      std::string expected;
      table >> expected;
      INFO(to_string(a) << " with " << to_string(b));
      CHECK(to_string(promote(a, b)) == expected);
      CHECK(promote(tensor(a), tensor(b)).dtype == promote(a, b));
      CHECK_FALSE(promote(tensor(a), tensor(b)).weak);
    }
  }
}

TEST_CASE("promote: a number of the program decides the kind, never the width") {
  CHECK(promote(tensor(f32), number(f64)).dtype == f32);
  CHECK(promote(number(f64), tensor(f16)).dtype == f16);
  CHECK(promote(number(f64), tensor(i32)).dtype == f32);
  CHECK(promote(tensor(u8), number(i64)).dtype == u8);
  CHECK(promote(tensor(boolean), number(i64)).dtype == i64);
  CHECK(promote(tensor(boolean), number(f64)).dtype == f32);
  CHECK(promote(tensor(bf16), number(i64)).dtype == bf16);
}

TEST_CASE("promote: two numbers stay weak") {
  CHECK(promote(number(i64), number(f64)).weak);
  CHECK(promote(number(i64), number(f64)).dtype == f64);
}
