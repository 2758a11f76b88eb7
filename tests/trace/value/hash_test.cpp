#include <doctest/doctest.h>
#include <sinter/sinter.hpp>
#include <sinter/trace/value/hash.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

Hash hash_of_value(const Tensor& value, bool is_number = false, std::uint32_t position = 0) {
  Hasher hasher;
  add_value(hasher, *value.lazy(), is_number, [&](const Lazy&) { return position; });
  return hasher.result();
}

const Where here = Where::current();

Tensor number(double value) { return constant_tensor(constant(value, f32), {f32, {}}, here); }

}  // namespace

TEST_CASE("value_hash: the operation, its line, its operands and its attributes count") {
  const Tensor x = ones({2, 3});
  const auto reduced = [&](std::int64_t axis) { return sum(x, axis); };
  CHECK(hash_of_value(reduced(0)) == hash_of_value(reduced(0)));
  CHECK(hash_of_value(reduced(0)) != hash_of_value(reduced(1)));
  CHECK(hash_of_value(reduced(0)) != hash_of_value(sum(x, 0)));
  CHECK(hash_of_value(reduced(0)) != hash_of_value(reduced(0), false, 1));
}

TEST_CASE("value_hash: a number counts unless it is left out") {
  CHECK(hash_of_value(number(1)) != hash_of_value(number(2)));
  CHECK(hash_of_value(number(1), true) == hash_of_value(number(2), true));
  CHECK(bits_of_number(*number(2).lazy()) == constant(2., f32).bits);
}
