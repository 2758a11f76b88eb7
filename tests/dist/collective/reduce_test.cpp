// The order of additions, narrow dtypes and NaN.

#include <doctest/doctest.h>

#include <cmath>

#include <sinter/dist/collective/reduce.hpp>

#include "../world.hpp"

using namespace sinter;
using detail::collective::reduce_parts;

namespace {

template <class T>
std::vector<T> reduced(dist::Reduce reduce, const std::vector<std::vector<T>>& parts) {
  detail::Vector<const void*> memory;
  for (const auto& part : parts) memory.push_back(part.data());
  std::vector<T> result(parts[0].size());
  reduce_parts(reduce, dtype_of<T>, memory, result.data(),
               static_cast<std::int64_t>(result.size()));
  return result;
}

}  // namespace

TEST_CASE("reduce: additions are a tree over the ranks") {
  const float large = 1e8f;
  const auto y = reduced<float>(dist::Reduce::sum, {{large}, {1}, {-large}, {1}});
  CHECK(y[0] == (large + 1) + (-large + 1));
  const auto three = reduced<float>(dist::Reduce::sum, {{large}, {1}, {-large}});
  CHECK(three[0] == (large + 1) + -large);
}

TEST_CASE("reduce: 16-bit elements are added in f32 and rounded once") {
  const auto y = reduced<bfloat16>(dist::Reduce::sum, {{256.0f}, {1.0f}, {1.0f}, {1.0f}});
  CHECK(static_cast<float>(y[0]) == static_cast<float>(bfloat16(259.0f)));
  const auto mean = reduced<half>(dist::Reduce::mean, {{60000.0f}, {60000.0f}});
  CHECK(static_cast<float>(mean[0]) == static_cast<float>(half(60000.0f)));
}

TEST_CASE("reduce: NaN wins, integers wrap") {
  const float nan = std::nanf("");
  for (const auto reduce : {dist::Reduce::min, dist::Reduce::max}) {
    CHECK(std::isnan(reduced<float>(reduce, {{1}, {nan}})[0]));
    CHECK(std::isnan(reduced<float>(reduce, {{nan}, {1}})[0]));
  }
  CHECK(reduced<std::uint8_t>(dist::Reduce::sum, {{200}, {100}})[0] == 44);
  CHECK(reduced<std::int8_t>(dist::Reduce::sum, {{100}, {100}})[0] == -56);
}

TEST_CASE("reduce: more elements than a block has") {
  std::vector<std::vector<double>> parts(3);
  for (int i = 0; i < 5000; ++i) {
    for (auto& part : parts) part.push_back(i);
  }
  const auto y = reduced(dist::Reduce::sum, parts);
  for (int i = 0; i < 5000; ++i) REQUIRE(y[static_cast<std::size_t>(i)] == 3 * i);
}
