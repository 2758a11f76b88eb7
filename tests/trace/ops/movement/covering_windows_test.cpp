#include "testing.hpp"

#include <sinter/trace/ops/movement/covering_windows.hpp>

#include <array>
#include <set>
#include <utility>

using namespace testing;

TEST_CASE("covering_windows: each window has each of its elements once") {
  for (const auto& [size, step, low] :
       {std::array{3, 2, 1}, {3, 1, 1}, {2, 2, 0}, {5, 3, 2}, {11, 4, 2}, {3, 4, 0}}) {
    const std::int64_t elements = 23, count = (elements + 2 * low - size) / step + 1;
    const auto cover =
        detail::covering_windows({.size = size, .step = step, .low = low}, elements, count);
    std::set<std::pair<std::int64_t, std::int64_t>> found;
    for (std::int64_t q = 0; q < cover.steps; ++q) {
      for (std::int64_t r = 0; r < step; ++r) {
        for (std::int64_t v = 0; v < cover.axis.size; ++v) {
          const std::int64_t window = q - cover.axis.low + v;
          const std::int64_t at = r + step * (cover.axis.size - 1 - v) - cover.skipped;
          if (window < 0 || window >= count || at < 0 || at >= size) continue;
          CHECK(window * step + at - low == q * step + r);  // the element itself
          if (q * step + r < elements) found.insert({window, at});
        }
      }
    }
    std::size_t inside = 0;
    for (std::int64_t window = 0; window < count; ++window) {
      for (std::int64_t at = 0; at < size; ++at) {
        const std::int64_t element = window * step + at - low;
        inside += element >= 0 && element < elements;
      }
    }
    CHECK(found.size() == inside);
  }
}
