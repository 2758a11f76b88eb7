// test: alone
#include <doctest/doctest.h>

#include <sinter/base/operators.hpp>
#include <sinter/sinter.hpp>

#include <string>

namespace sinter::detail {
namespace {

/// Converts to a size and to a tensor, and is of a namespace that has operators of neither.
struct Convertible {
  operator Extent() const { return 2; }
  operator Tensor() const { return zeros({2}); }
};
template <class T, class U>
concept Compares = requires(const T& a, const U& b) {
  a == b;
  a < b;
};
template <class T, class U>
concept Adds = requires(const T& a, const U& b) {
  a + b;
  a - b;
  a* b;
  a / b;
};

}  // namespace

TEST_CASE("operators: inside of sinter, conversions do not find those of tensors and sizes") {
  CHECK_FALSE(Compares<Convertible, Convertible>);
  CHECK_FALSE(Adds<Convertible, Convertible>);
  CHECK_FALSE(Compares<DType, int>);
}

TEST_CASE("operators: tensors, sizes and texts have theirs") {
  CHECK(Compares<Tensor, Tensor>);
  CHECK(Compares<Tensor, int>);
  CHECK(Compares<Extent, int>);
  CHECK(Compares<DType, DType>);
  CHECK(Compares<std::string, const char*>);
  CHECK(Adds<Tensor, float>);
  CHECK(Adds<Extent, Extent>);
}

}  // namespace sinter::detail
