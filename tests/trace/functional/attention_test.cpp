// test: moved
#include <sinter/trace/functional/attention.hpp>
#include <sinter/trace/ops/index/index.hpp>

#include "numerical_gradients.hpp"

using namespace testing;

namespace {

Tensor query = noise({2, 4, 3, 5}), key = noise({2, 4, 6, 5}), value = noise({2, 4, 6, 2});
const Shared shared{query, key, value};

// Attention by plain loops; `score` changes a score, -infinity masks it.
template <class Score>
Numbers by_loops(Score score, double scale = 1 / std::sqrt(5.0)) {
  const Numbers q = numbers(query), k = numbers(key), v = numbers(value);
  Numbers result;
  for (std::size_t plane = 0; plane < 8; ++plane) {
    for (std::size_t i = 0; i < 3; ++i) {
      double total = 0, sums[2]{};
      for (std::size_t j = 0; j < 6; ++j) {
        double dot = 0;
        for (std::size_t e = 0; e < 5; ++e) {
          dot += q[(plane * 3 + i) * 5 + e] * k[(plane * 6 + j) * 5 + e];
        }
        const double weight = std::exp(score(dot * scale, plane % 4, i, j));
        total += weight;
        for (std::size_t e = 0; e < 2; ++e) sums[e] += weight * v[(plane * 6 + j) * 2 + e];
      }
      for (const double sum : sums) result.push_back(total == 0 ? 0 : sum / total);
    }
  }
  return result;
}

constexpr double masked = -std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("scaled_dot_product_attention: is the plain loop") {
  const auto plain = [](double score, auto, auto, auto) { return score; };
  CHECK(near(scaled_dot_product_attention(query, key, value), by_loops(plain), 1e-12));
  CHECK(near(scaled_dot_product_attention(query, key, value, {.scale = 0.3}), by_loops(plain, 0.3),
             1e-12));
}

TEST_CASE("scaled_dot_product_attention: masks; a query that sees no key gives 0") {
  const auto sees = [](std::size_t i, std::size_t j) { return i != 1 && (i + j) % 3 != 0; };
  std::vector<bool> mask;
  Numbers added;
  for (std::size_t i = 0; i < 18; ++i) {
    mask.push_back(sees(i / 6, i % 6));
    added.push_back(static_cast<double>(i) / 7);
  }
  const auto masking = [&](double score, auto, std::size_t i, std::size_t j) {
    return sees(i, j) ? score : masked;
  };
  const Tensor boolean_mask = from_vector(mask, {3, 6});
  CHECK(near(scaled_dot_product_attention(query, key, value, {.mask = boolean_mask}),
             by_loops(masking), 1e-12));
  const auto adding = [&](double score, auto, std::size_t i, std::size_t j) {
    return score + static_cast<double>(i * 6 + j) / 7;
  };
  CHECK(near(scaled_dot_product_attention(query, key, value, {.mask = from_vector(added, {3, 6})}),
             by_loops(adding), 1e-12));
  const auto loss = [&](const Tensor& x) {
    return weighted_sum(scaled_dot_product_attention(x, key, value, {.mask = boolean_mask}));
  };
  for (const double slope : numbers(grad(loss)(query))) CHECK(std::isfinite(slope));
}

TEST_CASE("scaled_dot_product_attention: causal is aligned at the first query and key") {
  const auto causal = [](double score, auto, std::size_t i, std::size_t j) {
    return j <= i ? score : masked;
  };
  CHECK(near(scaled_dot_product_attention(query, key, value, {.causal = true}), by_loops(causal),
             1e-12));
}

TEST_CASE("scaled_dot_product_attention: a score function sees heads and positions") {
  const Tensor slopes = from_vector<double>({0.1, 0.2, 0.3, 0.4}, {4});
  const auto alibi = [&](Tensor score, Tensor, Tensor head, Tensor q, Tensor k) {
    return score + index_select(slopes, 0, head) * (k - q).to(f64);
  };
  const auto expected = [](double score, std::size_t head, std::size_t i, std::size_t j) {
    return score +
           0.1 * static_cast<double>(head + 1) * (static_cast<double>(j) - static_cast<double>(i));
  };
  CHECK(near(scaled_dot_product_attention(query, key, value, {.score = alibi}), by_loops(expected),
             1e-12));
}

TEST_CASE("scaled_dot_product_attention: heads of the queries share those of the keys") {
  const Tensor k = noise({2, 2, 6, 5}), v = noise({2, 2, 6, 2});
  const auto twice = [](const Tensor& x) {
    const Tensor apart = expand(unsqueeze(x, 2), {2, 2, 2, x.size(2), x.size(3)});
    return reshape(apart, {2, 4, x.size(2), x.size(3)});
  };
  CHECK(near(scaled_dot_product_attention(query, k, v, {.enable_gqa = true}),
             numbers(scaled_dot_product_attention(query, twice(k), twice(v))), 1e-12));
}

TEST_CASE("scaled_dot_product_attention: gradients are those of differences") {
  const Tensor q = noise({2, 3, 4}), k = noise({2, 5, 4}), v = noise({2, 5, 2});
  const AttentionOptions options{.causal = true};
  const auto of_query = [&](const Tensor& x) {
    return scaled_dot_product_attention(x, k, v, options);
  };
  const auto of_key = [&](const Tensor& x) {
    return scaled_dot_product_attention(q, x, v, options);
  };
  CHECK(slope_error(of_query, q) < 1e-7);
  CHECK(slope_error(of_key, k) < 1e-7);
}

TEST_CASE("scaled_dot_product_attention: dropout keeps the mean, half dtypes stay") {
  const Tensor ones_of = ones({1, 64, 64});
  const Tensor y = scaled_dot_product_attention(ones_of, ones_of, ones_of, {.dropout = 0.5});
  CHECK(near(mean(y), {1}, 0.1));
  CHECK(scaled_dot_product_attention(query.to(bf16), key.to(bf16), value.to(bf16)).dtype() == bf16);
}

TEST_CASE("scaled_dot_product_attention: mistakes name the line, the values and the way out") {
  MISTAKE(ShapeError, scaled_dot_product_attention(query, value, key), "f64[2, 4, 6, 2]");
  MISTAKE(DTypeError, scaled_dot_product_attention(query, key.to(f32), value), "one floating");
  const Tensor few = noise({2, 2, 6, 5});
  MISTAKE(ShapeError, scaled_dot_product_attention(query, few, value), "enable_gqa");
  const Tensor three = noise({2, 3, 6, 2});
  MISTAKE(ShapeError, scaled_dot_product_attention(query, key, three), "the heads do not fit");
  MISTAKE(ShapeError, scaled_dot_product_attention(query, key, value, {.mask = ones({3, 5})}),
          "the mask broadcasts to (..., queries, keys)");
  MISTAKE(DTypeError, scaled_dot_product_attention(query, key, value, {.mask = ones({3, 6}, i64)}),
          "i64[3, 6]");
  const auto condition = [](const Tensor& score, const Tensor&, const Tensor&, const Tensor&,
                            const Tensor&) { return score > 0; };
  MISTAKE(DTypeError, scaled_dot_product_attention(query, key, value, {.score = condition}),
          "belongs into .mask");
  MISTAKE(ValueError, scaled_dot_product_attention(query, key, value, {.scale = NAN}),
          "the scale is not finite");
}
