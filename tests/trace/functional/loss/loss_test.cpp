// test: moved
#include "testing.hpp"

#include <numeric>

#include <sinter/trace/context/autocast.hpp>
#include <sinter/trace/functional/loss/loss.hpp>
#include <sinter/trace/functional/norm/normalize.hpp>
#include <sinter/trace/ops/creation/random.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/transform/grad.hpp>
#include <sinter/trace/transform/jacobian.hpp>
#include <sinter/trace/transform/vmap.hpp>

using namespace testing;

namespace {

// The losses of the rows of `logits`, and the weights with which they count, by plain loops.
struct Rows {
  Numbers losses, weights;

  Rows(const Numbers& logits, const std::vector<std::int64_t>& targets, std::size_t classes,
       std::int64_t ignored, double smoothing) {
    for (std::size_t row = 0; row < targets.size(); ++row) {
      const double* const x = logits.data() + row * classes;
      double total = 0, sum_of_logits = 0;
      for (std::size_t i = 0; i < classes; ++i) total += std::exp(x[i]), sum_of_logits += x[i];
      const bool counts = targets[row] != ignored;
      const double log_total = std::log(total);
      const double own = counts ? log_total - x[targets[row]] : 0;
      const double all = log_total - sum_of_logits / static_cast<double>(classes);
      losses.push_back(counts ? (1 - smoothing) * own + smoothing * all : 0);
      weights.push_back(counts ? 1 : 0);
    }
  }
  double sum() const { return std::accumulate(losses.begin(), losses.end(), 0.0); }
  double mean() const { return sum() / std::accumulate(weights.begin(), weights.end(), 0.0); }
};

Tensor logits = sub(mul(rand({6, 5}), 8), 4);
const Shared shared{logits};
const std::vector<std::int64_t> targets{0, 4, 2, 2, -100, 1};

}  // namespace

TEST_CASE("cross_entropy: is the plain loop, with ignored rows and smoothed labels") {
  for (const double smoothing : {0.0, 0.1}) {
    for (const std::int64_t ignored : {-100, 2}) {
      std::vector<std::int64_t> classes = targets;
      if (ignored == 2) classes[4] = 2;
      const Rows rows(numbers(logits), classes, 5, ignored, smoothing);
      const auto loss = [&](Reduction reduction) {
        return cross_entropy(
            logits, integers(classes),
            {.ignore_index = ignored, .label_smoothing = smoothing, .reduction = reduction});
      };
      CHECK(near(loss(Reduction::none), rows.losses, 1e-5));
      CHECK(near(loss(Reduction::sum), {rows.sum()}, 1e-5));
      CHECK(near(loss(Reduction::mean), {rows.mean()}, 1e-5));
    }
  }
}

TEST_CASE("cross_entropy: its gradient is the softmax minus the target, and 0 in ignored rows") {
  const auto loss = [](const Tensor& x) { return cross_entropy(x, integers({1, -100})); };
  const Tensor x = tensor({0, 0, 0, 0, 7, 0, 0, 0}, {2, 4});

  CHECK(near(grad(loss)(x), {0.25, -0.75, 0.25, 0.25, 0, 0, 0, 0}));
}

TEST_CASE("cross_entropy: outside of recordings it is one value, known by its line and its types") {
  const Tensor x = randn({3, 4}), target = integers({0, 2, 3});
  const auto loss = [&](const Tensor& logits, Reduction reduction) {
    return cross_entropy(logits, target, {.reduction = reduction});
  };
  const auto expression = [](const Tensor& value) { return value.lazy()->expression; };
  const auto first = expression(loss(x, Reduction::mean));
  REQUIRE(first != nullptr);
  CHECK(expression(loss(x * 2, Reduction::mean)) == first);
  CHECK(expression(loss(x, Reduction::sum)) != first);
  CHECK(expression(loss(x.to(f64), Reduction::mean)) != first);
  CHECK(expression(cross_entropy(x, target)) != first);  // another line
  CHECK(expression(cross_entropy(x, target, {.label_smoothing = 0.1})) == nullptr);
  CHECK(expression(nll_loss(log_softmax(x, 1), target)) != nullptr);
  const amp::ScopedAutocast autocast(bf16);
  CHECK(expression(loss(x, Reduction::mean)) == nullptr);
}

TEST_CASE("cross_entropy: as one value it has the derivatives of its operations") {
  const Tensor x = randn({3, 4}), target = integers({0, -100, 3}), ones_of_x = ones({3, 4});
  const Tensor many = stack({x, x * 2}, 0);
  const auto whole = [&](const Tensor& logits) { return cross_entropy(logits, target); };
  const auto parts = [&](const Tensor& logits) {
    return cross_entropy(logits, target, {.weight = ones({4})});
  };
  const auto slopes_of = [](auto loss) {
    return grad([loss](const Tensor& v) { return sum(square(grad(loss)(v))); });
  };
  for (int times = 0; times < 2; ++times) {
    CHECK(near(whole(x), numbers(parts(x))));
    CHECK(near(grad(whole)(x), numbers(grad(parts)(x))));
    CHECK(near(hessian(whole)(x), numbers(hessian(parts)(x))));
    CHECK(near(slopes_of(whole)(x), numbers(slopes_of(parts)(x))));
    CHECK(near(jvp(whole, x, ones_of_x).tangent, numbers(jvp(parts, x, ones_of_x).tangent)));
    CHECK(near(vmap(whole)(many), numbers(vmap(parts)(many))));
    CHECK(near(vmap(grad(whole))(many), numbers(vmap(grad(parts))(many))));
  }
}

TEST_CASE("cross_entropy: takes one row, and masked logits") {
  CHECK(near(cross_entropy(vector({0, 0}), full({}, 1)), {std::log(2.0)}));
  CHECK(near(cross_entropy(tensor({-infinity, 3, 3}, {1, 3}), integers({1})), {std::log(2.0)}));
  CHECK(near(cross_entropy(tensor({1000, 0}, {1, 2}), integers({1})), {1000}));
}

TEST_CASE("cross_entropy: a target that is no class throws IndexError, by the line of the call") {
  for (const std::int64_t bad : {5, -1, 1 << 30}) {
    const Tensor loss = cross_entropy(ones({2, 5}), integers({0, bad}));
    const unsigned line = __LINE__ - 1;
    try {
      loss.item<float>();
      FAIL_CHECK("nothing was thrown for " << bad);
    } catch (const IndexError& error) {
      CHECK(error.where().line() == line);
      const std::string report = error.what();
      INFO(report);
      CHECK(report.find(text("index ", bad, ", at the row-major position 1")) != report.npos);
      CHECK(report.find("rule  0 <= index < 5") != report.npos);
    }
  }
}

TEST_CASE("nll_loss: takes the logarithms of probabilities") {
  const Tensor x = tensor({-1, -2, -3, -4}, {2, 2});
  CHECK(near(nll_loss(x, integers({1, 0})), {2.5}));
  CHECK(near(nll_loss(x, integers({1, 0}), {.reduction = Reduction::none}), {2, 3}));
}

TEST_CASE("mse_loss, l1_loss: are means of squares and of distances") {
  const Tensor x = vector({1, 2, 4}), y = vector({1, 4, 0});
  CHECK(near(mse_loss(x, y), {20.0 / 3}));
  CHECK(near(mse_loss(x, y, Reduction::sum), {20}));
  CHECK(near(mse_loss(x, y, Reduction::none), {0, 4, 16}));
  CHECK(near(l1_loss(x, y), {2}));
}

// The expected figures are those of torch 2.15.
TEST_CASE("cross_entropy: classes are axis 1, and have weights or probabilities") {
  const Tensor x = tensor({1, 2, 0, -1, 3, 0.5}, {1, 3, 2}), weight = vector({1, 2, 0.5});
  const CrossEntropyOptions options{.weight = weight, .label_smoothing = 0.1};
  CHECK(near(cross_entropy(x, from_vector<std::int64_t>({2, 1}, {1, 2}), options), {2.5801702}));
  const Tensor wanted = softmax(flip(x, 1), 1);
  CHECK(near(cross_entropy(x, wanted, options), {1.6588637}));
}

TEST_CASE("cross_entropy: axes behind the classes are rows like others") {
  const Tensor x = randn({2, 5, 3, 2}), wanted = randint(0, 5, {2, 3, 2});
  const Tensor rows = reshape(permute(x, {0, 2, 3, 1}), {12, 5});
  CHECK(alike(cross_entropy(x, wanted), cross_entropy(rows, reshape(wanted, {12})), 1e-6));
  CHECK(to_string(cross_entropy(x, wanted, {.reduction = Reduction::none})) == "f32[2, 3, 2]");
}

TEST_CASE("huber_loss, smooth_l1_loss: are squares near 0 and distances far from it") {
  const Tensor x = tensor({1, -2, 3, 0.5, 0, -1}, {6}), y = vector({0.2f, 1, 0, 0.5, 0, 1});
  CHECK(near(huber_loss(x, y, Reduction::none, 0.7), {0.315, 1.855, 1.855, 0, 0, 1.155}));
  CHECK(near(smooth_l1_loss(x, y, Reduction::none, 0.7), {0.45, 2.65, 2.65, 0, 0, 1.65}));
  CHECK(near(smooth_l1_loss(x, y, Reduction::sum, 0), {0.8 + 3 + 3 + 2}));
}

TEST_CASE("kl_div: takes probabilities, 0 among them, or their logarithms") {
  const Tensor x = tensor({1, -2, 3, 0.5, 0, -1}, {2, 3});
  const Tensor y = tensor({0.2f, 1, 0, 0.5, 0, 1}, {2, 3}), logs = log_softmax(x, 1);
  CHECK(
      near(kl_div(logs, y, Reduction::none), {0.1046815, 5.1328454, 0, -0.0445083, 0, 2.1041307}));
  CHECK(near(kl_div(logs, log_softmax(y, 1), Reduction::batchmean, true), {1.4090563}));
}

TEST_CASE("losses: half dtypes compute in f32 and stay") {
  const Tensor x = randn({4, 100}).to(bf16), wanted = randint(0, 100, {4});
  const Tensor loss = cross_entropy(x, wanted);
  CHECK(loss.dtype() == bf16);
  CHECK(alike(loss, cross_entropy(x.to(f32), wanted), 0.005));
  CHECK(mse_loss(x, x).dtype() == bf16);
}

TEST_CASE("loss: mistakes name the line, the values, the rule and the way out") {
  const Tensor x = ones({4, 3});

  MISTAKE(ShapeError, cross_entropy(x, zeros({5}, i64)), "cross_entropy: ", "f32[4, 3]", "i64[5]");
  MISTAKE(DTypeError, cross_entropy(ones({2, 3}, i32), integers({0, 1})),
          "cross_entropy: class scores are integers", "i32[2, 3]");
  MISTAKE(DTypeError, nll_loss(ones({2, 3}, i64), integers({0, 1})), "nll_loss: class scores");
  MISTAKE(DTypeError, cross_entropy(x, ones({4})), "targets are not classes", "f32[4]", ".to(i64)");
  MISTAKE(ShapeError, nll_loss(x, zeros({4, 3}, i64)), "nll_loss: ", "i64[4, 3]");
  MISTAKE(ShapeError, mse_loss(x, ones({4})), "mse_loss: ", "f32[4, 3]", "f32[4]");
  MISTAKE(ShapeError, smooth_l1_loss(x, ones({4})), "smooth_l1_loss: ", "f32[4]");
  MISTAKE(ShapeError, kl_div(x, ones({4})), "kl_div: ", "f32[4]");
  MISTAKE(ShapeError, cross_entropy(x, ones({4, 2})), "differ in shape", "f32[4, 2]");
  MISTAKE(ShapeError, cross_entropy(x, zeros({4}, i64), {.weight = ones({4})}), "each class");
  MISTAKE(ValueError, mse_loss(x, x, Reduction::batchmean), "mse_loss: ", "batchmean");
  MISTAKE(ValueError, huber_loss(x, x, 0.0), "huber_loss: ", "delta > 0");
}

TEST_CASE("losses: take their options by name as well") {
  const Tensor x = from_vector<float>({0, 3}, {2}), target = zeros({2});
  CHECK(mse_loss(x, target, {.reduction = Reduction::sum}).item<float>() == 9);
  CHECK(l1_loss(x, target, {.reduction = Reduction::sum}).item<float>() == 3);
  CHECK(huber_loss(x, target, {.reduction = Reduction::sum, .delta = 2}).item<float>() == 4);
  CHECK_THROWS_AS(cross_entropy(zeros({1, 2}), zeros({1}, i64), {.label_smoothing = 2}),
                  ValueError);
}
