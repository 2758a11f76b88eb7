// test: moved
#include <sinter/trace/functional/pool/adaptive.hpp>

#include <algorithm>

#include "numerical_gradients.hpp"

using namespace testing;

namespace {

// Window i of `count` over `size` elements: from begin(i) to before begin(i + 1), rounded up.
template <class Choose>
Numbers by_loops(const Numbers& x, std::size_t size, std::size_t count, Choose choose) {
  Numbers result;
  for (std::size_t row = 0; row < x.size(); row += size) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t begin = i * size / count, end = ((i + 1) * size + count - 1) / count;
      result.push_back(choose(Numbers(x.begin() + static_cast<std::ptrdiff_t>(row + begin),
                                      x.begin() + static_cast<std::ptrdiff_t>(row + end))));
    }
  }
  return result;
}

double largest_of(const Numbers& x) { return *std::max_element(x.begin(), x.end()); }
double mean_of(const Numbers& x) {
  double total = 0;
  for (const double value : x) total += value;
  return total / static_cast<double>(x.size());
}

}  // namespace

TEST_CASE("adaptive_avg_pool1d, adaptive_max_pool1d: are the plain loop for any sizes") {
  for (const std::int64_t size : {1, 5, 7, 12}) {
    const Tensor x = noise({2, 3, size});
    for (const std::int64_t count : {1, 3, 4, 7}) {
      const auto expected = [&](auto choose) {
        return by_loops(numbers(x), static_cast<std::size_t>(size), static_cast<std::size_t>(count),
                        choose);
      };
      CHECK(near(adaptive_avg_pool1d(x, count), expected(mean_of), 1e-12));
      CHECK(near(adaptive_max_pool1d(x, count), expected(largest_of), 1e-12));
    }
  }
}

TEST_CASE("adaptive pools: work axis by axis") {
  const Tensor x = noise({2, 3, 5, 7});
  const Tensor columns = adaptive_avg_pool1d(reshape(x, {6, 5, 7}), 3);
  const Tensor rows = adaptive_avg_pool1d(transpose(columns, 1, 2), 2);
  CHECK(near(adaptive_avg_pool2d(x, {2, 3}), numbers(transpose(rows, 1, 2)), 1e-12));
  CHECK(to_string(adaptive_max_pool3d(ones({2, 4, 5, 6}), {3, 2, 1})) == "f32[2, 3, 2, 1]");
  CHECK(to_string(adaptive_avg_pool2d(ones({2, 4, 5}), 0)) == "f32[2, 0, 0]");
}

TEST_CASE("adaptive_avg_pool1d: an infinite element stays in its windows") {
  CHECK(
      near(adaptive_avg_pool1d(tensor({1, 2, infinity, 4, 5}, {1, 5}), 5), {1, 2, infinity, 4, 5}));
  CHECK(near(adaptive_avg_pool1d(tensor({infinity, 2, 3, 4, 6}, {1, 5}), 3), {infinity, 3, 5}));
}

TEST_CASE("adaptive pools: gradients are those of differences; ties go to the first") {
  const Tensor x = noise({1, 2, 5, 4});
  CHECK(slope_error([](const Tensor& y) { return adaptive_avg_pool2d(y, {3, 2}); }, x) < 1e-7);
  CHECK(slope_error([](const Tensor& y) { return adaptive_max_pool2d(y, {3, 3}); }, x) < 1e-7);
  const auto loss = [](const Tensor& y) { return sum(adaptive_max_pool2d(y, 1)); };
  CHECK(near(grad(loss)(ones({1, 2, 2})), {1, 0, 0, 0}));
}

TEST_CASE("adaptive pools: mistakes name the line, the values, the rule and the way out") {
  MISTAKE(ShapeError, adaptive_avg_pool2d(ones({2, 3}), 1), "adaptive_avg_pool2d: ", "f32[2, 3]");
  MISTAKE(ShapeError, adaptive_max_pool1d(ones({2, 0}), 1), "nothing to choose from");
  MISTAKE(ValueError, adaptive_avg_pool1d(ones({2, 3}), -1), "output_size");
  MISTAKE(DTypeError, adaptive_avg_pool1d(ones({2, 3}, i64), 1), "i64[2, 3]");
}
