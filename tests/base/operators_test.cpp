// test: alone
#include <doctest/doctest.h>

#include <sinter/base/operators.hpp>
#include <sinter/sinter.hpp>

#include <string>

namespace sinter::detail {
namespace {

/// Converts to a tensor, and is of a namespace that has no operators of tensors.
struct Convertible {
  operator Tensor() const { return zeros({2}); }
};
template <class T, class U>
concept HasEqual = requires(const T& a, const U& b) {
  a == b;
};
template <class T, class U>
concept HasUnequal = requires(const T& a, const U& b) {
  a != b;
};
template <class T, class U>
concept HasLess = requires(const T& a, const U& b) {
  a < b;
};
template <class T, class U>
concept HasGreater = requires(const T& a, const U& b) {
  a > b;
};
template <class T, class U>
concept HasMinus = requires(const T& a, const U& b) {
  a - b;
};
template <class T, class U>
concept HasQuotient = requires(const T& a, const U& b) {
  a / b;
};
template <class T, class U>
concept Compares = HasEqual<T, U> && HasUnequal<T, U> && HasLess<T, U> && HasGreater<T, U>;
template <class T, class U>
concept Adds = HasMinus<T, U> && HasQuotient<T, U> && requires(const T& a, const U& b) {
  a + b;
};

}  // namespace

TEST_CASE("operators: inside of sinter, a conversion does not find those of tensors") {
  CHECK_FALSE(HasEqual<Convertible, Convertible>);
  CHECK_FALSE(HasUnequal<Convertible, Convertible>);
  CHECK_FALSE(HasLess<Convertible, Convertible>);
  CHECK_FALSE(HasGreater<Convertible, Convertible>);
  CHECK_FALSE(HasMinus<Convertible, Convertible>);
  CHECK_FALSE(HasQuotient<Convertible, Convertible>);
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
