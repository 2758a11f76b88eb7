#include <doctest/doctest.h>
#include <sinter/sinter.hpp>
#include <sinter/trace/value/walk.hpp>

#include <algorithm>
#include <vector>

using namespace sinter;
using namespace sinter::detail;

namespace {

Vector<Lazy*> visited(const ValueWalk& walk, const Tensor& root) {
  Vector<Lazy*> result;
  const auto is_known = [&](const Lazy&, Lazy* operand) {
    return std::find(result.begin(), result.end(), operand) != result.end();
  };
  walk.visit(walk.target(root.lazy().get()), is_known,
             [&](Lazy& lazy) { result.push_back(&lazy); });
  return result;
}

std::size_t place(const Vector<Lazy*>& values, const Tensor& value) {
  return static_cast<std::size_t>(std::find(values.begin(), values.end(), value.lazy().get()) -
                                  values.begin());
}

}  // namespace

TEST_CASE("value_walk: each value comes once, after what it is computed from") {
  const Tensor x = from_vector(std::vector<float>{1, 2}, {2});
  const Tensor y = sin(x), z = y * y + cos(y);
  const Vector<Lazy*> values = visited(ValueWalk(Detached::as_values), z);
  CHECK(values.size() == 5);
  CHECK(place(values, x) == 0);
  CHECK(place(values, y) == 1);
  CHECK(place(values, z) == 4);
}

TEST_CASE("value_walk: values with elements are leaves, and so are detached ones as inputs") {
  const Tensor x = from_vector(std::vector<float>{1, 2}, {2});
  const Tensor y = sin(x), z = cos(y);
  const std::vector<float> elements = y.to_vector<float>();
  CHECK(visited(ValueWalk(Detached::as_values), z).size() == 2);
  const Tensor fixed = detach(exp(x));
  CHECK(visited(ValueWalk(Detached::as_values), fixed).size() == 2);
  CHECK(visited(ValueWalk(Detached::as_nodes), fixed).size() == 3);
}

TEST_CASE("value_walk: a long chain needs no stack") {
  Tensor x = from_vector(std::vector<float>{1}, {1});
  for (int i = 0; i < 100000; ++i) x = x + x;
  int count = 0;
  const ValueWalk walk(Detached::as_values);
  Vector<const Lazy*> last;
  walk.visit(
      x.lazy().get(),
      [&](const Lazy&, Lazy* operand) { return !last.empty() && last[0] == operand; },
      [&](Lazy& lazy) {
        last = {&lazy};
        ++count;
      });
  CHECK(count == 100001);
}
