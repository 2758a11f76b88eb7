#include <doctest/doctest.h>
#include <sinter/base/container/optional.hpp>

#include <memory>
#include <string>
#include <utility>

using sinter::detail::Optional;

namespace {

// Its owners are the optionals that have a value.
using Counted = std::shared_ptr<int>;

}  // namespace

TEST_CASE("optional: has a value or none") {
  Optional<std::string> text;
  CHECK_FALSE(text.has_value());
  CHECK(text == std::nullopt);
  CHECK_THROWS_AS(static_cast<void>(text.value()), std::bad_optional_access);
  CHECK(text.value_or("none") == "none");
  text = std::string("some");
  REQUIRE(text);
  CHECK(*text == "some");
  CHECK(text->size() == 4);
  CHECK(text.value() == "some");
  CHECK(text == Optional<std::string>("some"));
  CHECK(text != Optional<std::string>());
  CHECK(text == "some");
  CHECK_FALSE(Optional<std::string>() == "");
  text.emplace(2u, 'a');
  CHECK(*text == "aa");
  text = std::nullopt;
  CHECK_FALSE(text);
}

TEST_CASE("optional: copies, moves and destroys its value once") {
  const auto counted = std::make_shared<int>(1);
  {
    Optional<Counted> a(counted), b = a, none;
    CHECK(counted.use_count() == 3);
    Optional<Counted> c = std::move(b);
    CHECK(counted.use_count() == 3);  // a moved-from value is a value
    none = a;
    CHECK(counted.use_count() == 4);
    none = *&none;
    CHECK(counted.use_count() == 4);
    a = Optional<Counted>();
    CHECK(counted.use_count() == 3);
    c.reset();
    CHECK(counted.use_count() == 2);
    none.emplace(counted);
    CHECK(counted.use_count() == 2);
  }
  CHECK(counted.use_count() == 1);
}

TEST_CASE("optional: values that cannot be copied") {
  Optional<std::unique_ptr<int>> a(std::make_unique<int>(3));
  const Optional<std::unique_ptr<int>> b = std::move(a);
  CHECK(**b == 3);
  Optional<std::unique_ptr<int>> c(std::make_unique<int>(4));
  CHECK(*std::move(c).value_or(nullptr) == 4);
  const std::unique_ptr<int> taken = *Optional<std::unique_ptr<int>>(std::make_unique<int>(5));
  CHECK(*taken == 5);
}
