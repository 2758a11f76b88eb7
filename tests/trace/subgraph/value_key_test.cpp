#include <doctest/doctest.h>
#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/sinter.hpp>
#include <sinter/trace/subgraph/value_key.hpp>

#include <vector>

using namespace sinter;
using namespace sinter::detail;

namespace {

Hash key_of(const Tensor& value) {
  ValueKey key(Detached::as_casts);
  key.add(value);
  return key.hash();
}

Tensor ready(std::int64_t rows) {
  return from_vector(std::vector<float>(static_cast<std::size_t>(rows), 1.f), {rows});
}

}  // namespace

TEST_CASE("value_key: equal for the same operations of the same lines, whatever the numbers") {
  const auto loss = [](const Tensor& x, const Tensor& y, float scale, bool other) {
    const Tensor product = x * y;
    return sum((other ? exp(product) : sin(product)) * scale);
  };
  const Hash key = key_of(loss(ready(3), ready(3), 2, false));
  CHECK(key == key_of(loss(ready(3), ready(3), 3, false)));
  CHECK(key != key_of(loss(ready(4), ready(4), 2, false)));
  CHECK(key != key_of(loss(ready(3), ready(3), 2, true)));
  const Tensor x = ready(3);
  CHECK(key != key_of(loss(x, x, 2, false)));
}

TEST_CASE("value_key: what has elements counts, and numbers are listed") {
  const auto make = [](const Tensor& x) { return sin(x) + 2; };
  const Tensor x = ready(3);
  CHECK(key_of(make(x)) == key_of(make(x)));
  const Tensor y = make(x), z = make(x);
  const std::vector<float> elements = z.to_vector<float>();
  CHECK(key_of(y) != key_of(z));
  ValueKey key(Detached::as_casts);
  key.add_input(x);
  key.add(y);
  REQUIRE(key.numbers().size() == 1);
  CHECK(key.values().front() == x.lazy().get());
  CHECK(key.values().back() == y.lazy().get());
}

TEST_CASE("value_key: positions of many values are found") {
  std::vector<UniquePtr<int>> places;
  ValuePositions positions;
  for (int i = 0; i < 1000; ++i) {
    places.push_back(make_unique_ptr<int>(i));
    positions.add(reinterpret_cast<const Lazy*>(places.back().get()));
  }
  for (std::uint32_t i = 0; i < 1000; ++i) {
    CHECK(positions.find(reinterpret_cast<const Lazy*>(places[i].get())) == i);
  }
  CHECK(positions.find(nullptr) == ValuePositions::none);
}
