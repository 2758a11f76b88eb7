// What ranks agree on before a collective runs.

#include <doctest/doctest.h>

#include <array>

#include <sinter/dist/collective/kernel.hpp>

#include "../world.hpp"

using namespace sinter;
using namespace sinter::detail::collective;

namespace {

Call call(const Collective& collective, DType dtype, std::int64_t rows) {
  const std::array<std::int64_t, 2> shape{rows, 3};
  const std::array x{RawTensor(nullptr, dtype, shape)};
  return call_of(collective, x, x);
}

}  // namespace

TEST_CASE("kernel: the hash has the kind, the dtype and the shape, not the line") {
  const Collective one{.kind = Kind::all_reduce, .where = Where::current()};
  Collective other = one;
  other.where = Where::current();
  CHECK(call(one, f32, 2).hash == call(other, f32, 2).hash);
  CHECK(call(one, f32, 2).hash != call(one, f32, 3).hash);
  CHECK(call(one, f32, 2).hash != call(one, f64, 2).hash);
  other.reduce = dist::Reduce::max;
  CHECK(call(one, f32, 2).hash != call(other, f32, 2).hash);
  CHECK(call(one, f32, 2).text.find("all_reduce(sum) of f32[2, 3] at ") == 0);
}

TEST_CASE("kernel: a message has the hash of its elements") {
  const Collective to{.kind = Kind::send, .peer = 1}, from{.kind = Kind::receive, .peer = 0};
  CHECK(call(to, f32, 2).hash == call(from, f32, 2).hash);
}
