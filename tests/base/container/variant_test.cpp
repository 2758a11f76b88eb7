#include <doctest/doctest.h>
#include <sinter/base/container/variant.hpp>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

using sinter::detail::Variant;

namespace {

using Counted = std::shared_ptr<int>;
using Value = Variant<int, std::string, Counted>;

std::string described(const Value& value) {
  std::string result;
  value.visit([&]<class T>(const T& any) {
    if constexpr (std::is_same_v<T, int>) {
      result = std::to_string(any);
    } else if constexpr (std::is_same_v<T, std::string>) {
      result = any;
    } else {
      result = "pointer";
    }
  });
  return result;
}

}  // namespace

TEST_CASE("variant: has a value of one of its types") {
  Value value;
  CHECK(value.is<int>());
  CHECK(value.get<int>() == 0);
  value = std::string("text");
  CHECK(value.index() == 1);
  CHECK(value.get_if<int>() == nullptr);
  REQUIRE(value.get_if<std::string>() != nullptr);
  value.get<std::string>() += "s";
  CHECK(described(value) == "texts");
  value = 7;
  CHECK(described(value) == "7");
  CHECK(described(Counted()) == "pointer");
  static_assert(!std::is_constructible_v<Value, double>);
}

TEST_CASE("variant: copies, moves and destroys its value once") {
  const auto counted = std::make_shared<int>(1);
  {
    Value a(counted), b = a, c;
    CHECK(counted.use_count() == 3);
    c = b;
    c = *&c;
    CHECK(counted.use_count() == 4);
    b = 3;
    CHECK(counted.use_count() == 3);
    b = std::move(c);
    CHECK(counted.use_count() == 3);
    a = std::string("a");
    CHECK(counted.use_count() == 2);
    CHECK(b.get<Counted>() == counted);
  }
  CHECK(counted.use_count() == 1);
}
