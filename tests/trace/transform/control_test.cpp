// test: moved
#include "testing.hpp"

#include <sinter/trace/functional/activation.hpp>
#include <sinter/trace/ops/creation/random.hpp>
#include <sinter/trace/ops/index/index.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/product/product.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/ops/typed/tensor.hpp>
#include <sinter/trace/transform/control.hpp>
#include <sinter/trace/transform/grad.hpp>

#include <set>

using namespace testing;

namespace {

const auto negative = [](const Tensor& x) { return x * -1.0f; };
const auto same_value = [](const Tensor& x) { return x; };

struct State {
  Tensor sum, count;
  SINTER_MODULE(State, sum, count)
};

}  // namespace

TEST_CASE("cond: is the branch that the predicate says") {
  const Tensor x = vector({1, -2});
  CHECK(near(cond(sum(x) < 0.0f, negative, same_value, x), {-1, 2}));
  CHECK(near(cond(sum(x) > 0.0f, negative, same_value, x), {1, -2}));
  CHECK(near(cond(integers({3}), negative, same_value, x), {-1, 2}));  // a number other than 0
  CHECK(near(cond(Scalar(0.0f), negative, same_value, x), {1, -2}));
}

TEST_CASE("cond: of a bool of the program calls the branch, and only that") {
  int calls = 0;
  const auto count = [&](const Tensor& x) { return ++calls, x; };
  CHECK(near(cond(true, same_value, count, vector({1})), {1}));
  CHECK(calls == 0);
  CHECK(cond(
            false, [](const Tensor& x) { return x; }, [](const Tensor& x) { return x * x; },
            vector({3}))
            .item<float>() == 9);
}

TEST_CASE("cond: branches use what is around them, and what they do not take does not run") {
  const Tensor table = vector({1, 2, 3}), x = vector({5});
  for (const std::int64_t index : {1, 7}) {
    const Tensor at = integers({index});
    const Tensor found = cond(
        at < 3, [&] { return table[at] + x; }, [&] { return x * 2.0f; });
    CHECK(near(found, {index < 3 ? 7.0 : 10.0}));
  }
  const Tensor at = integers({7});
  const Tensor wrong = cond(
      at > 3, [&] { return table[at]; }, [&] { return x; });
  CHECK_THROWS_AS(elements_of(wrong), IndexError);
}

TEST_CASE("cond: gives tuples, containers and structs, numbers among them") {
  const Tensor x = vector({2});
  const auto [a, b] = cond(
      sum(x) > 1.0f,
      [&] {
        return std::tuple{x, 1.0f};
      },
      [&] {
        return std::tuple{x * x, 2.0f};
      });
  CHECK(near(a, {2}));
  CHECK(near(b, {1}));
  const State state = cond(
      sum(x) > 3.0f,
      [&] {
        return State{x, x};
      },
      [&] {
        return State{x * 10.0f, x * 20.0f};
      });
  CHECK(near(state.sum, {20}));
  CHECK(near(state.count, {40}));
  CHECK(near(cond(
                 sum(x) > 1.0f, [](float scale, const State& s) { return s.sum * scale; },
                 [](float, const State& s) { return s.count; }, 3.0f, State{x, x}),
             {6}));
}

TEST_CASE("cond: both functions are called once each, and the results are read one by one") {
  int calls = 0;
  const Tensor x = vector({2});
  const auto branch = [&] { return ++calls, std::pair{x + 1.0f, x + 2.0f}; };
  const auto [a, b] = cond(sum(x) > 1.0f, branch, branch);
  CHECK(near(a, {3}));
  CHECK(near(b, {4}));
  CHECK(calls == 2);
}

TEST_CASE("cond: says which results differ, at the line of the call") {
  const Tensor x = vector({1, 2});
  MISTAKE(ShapeError,
          cond(
              sum(x) > 0.0f, [&] { return x; }, [&] { return sum(x); }),
          "cond: shapes differ", "then", "f32[2]", "otherwise", "f32[]");
  MISTAKE(DTypeError,
          cond(
              sum(x) > 0.0f, [&] { return x; }, [&] { return x.to(f64); }),
          "cond: dtypes differ", "f32[2]", "f64[2]");
  MISTAKE(ShapeError,
          cond(
              x > 0.0f, [&] { return x; }, [&] { return x; }),
          "bool[2]", "where(condition, x, y)");
  const auto list = [&](std::size_t size) { return std::vector<Tensor>(size, x); };
  MISTAKE(ShapeError,
          cond(
              sum(x) > 0.0f, [&] { return list(2); }, [&] { return list(3); }),
          "structures differ", "2 tensors", "3 tensors");
  MISTAKE(ValueError,
          cond(
              sum(x) > 0.0f, [] { return std::tuple<>(); }, [] { return std::tuple<>(); }),
          "no tensor");
}

TEST_CASE("cond: a branch cannot read elements") {
  const Tensor x = vector({1, 2});
  const auto reads = [](const Tensor& y) { return y * sum(y).item<float>(); };
  CHECK_THROWS_AS(cond(sum(x) > 0.0f, reads, same_value, x), GraphBreakError);
  CHECK(current_body == 0);
}

TEST_CASE("while_loop: is the loop, of one tensor or several") {
  const auto small = [](const Tensor& x) { return x < 100.0f; };
  const auto twice = [](const Tensor& x) { return x * 2.0f; };
  CHECK(while_loop(small, twice, 3.0f).item<float>() == 192);
  CHECK(while_loop(small, twice, 500.0f).item<float>() == 500);
  const auto [i, x] = while_loop([](const Tensor& k, const Tensor&) { return k < 4; },
                                 [](const Tensor& k, const Tensor& v) {
                                   return std::tuple{k + 1, v + k.to(f32)};
                                 },
                                 0, vector({1, 2}));
  CHECK(i.item<std::int64_t>() == 4);
  CHECK(near(x, {7, 8}));
  const State last = while_loop([](const State& s) { return s.count < 3.0f; },
                                [](const State& s) {
                                  return State{s.sum * 2.0f, s.count + 1.0f};
                                },
                                State{vector({1, 3}), full({}, 0.0f)});
  CHECK(near(last.sum, {8, 24}));
}

TEST_CASE("while_loop: the state keeps its types") {
  const auto always = [](const Tensor&) { return true; };
  const Tensor x = vector({1, 2});
  MISTAKE(DTypeError,
          while_loop(
              always, [](const Tensor& y) { return y.to(f64); }, x),
          "state", "f32[2]", "f64[2]");
  MISTAKE(ShapeError,
          while_loop(
              always, [](const Tensor& y) { return sum(y); }, x),
          "f32[]");
  MISTAKE(ShapeError, while_loop(same_value, same_value, x), "the predicate is not one element");
  CHECK_THROWS_AS(while_loop([](const Tensor& y) { return y.item<float>() < 1; }, same_value, 0.0f),
                  GraphBreakError);
}

TEST_CASE("scan: is the loop over axis 0, which gives the carry and stacks the rest") {
  const Tensor xs = tensor({1, 2, 3, 4, 5, 6}, {3, 2});
  const auto step = [](const Tensor& c, const Tensor& x) { return std::pair{c + x, c * x}; };
  const auto [last, products] = scan(step, zeros({2}), xs);
  CHECK(near(last, {9, 12}));
  CHECK(near(products, {0, 0, 3, 8, 20, 36}));
  CHECK(products.shape()[0] == 3);
  const auto [same_carry, none] = scan(step, ones({2}), zeros({0, 2}));
  CHECK(near(same_carry, {1, 1}));
  CHECK(numbers(none).empty());
}

TEST_CASE("scan: carries, steps and what it goes over are tuples and structs as well") {
  const auto [last, ys] = scan(
      [](const State& s, const std::tuple<Tensor, Tensor>& x) {
        const State next{s.sum + std::get<0>(x), s.count + 1.0f};
        return std::pair{next, std::tuple{next.sum * std::get<1>(x), next.count}};
      },
      State{full({}, 0.0f), full({}, 0.0f)}, std::tuple{vector({1, 2, 3}), vector({10, 20, 30})});
  CHECK(near(last.sum, {6}));
  CHECK(near(std::get<0>(ys), {10, 60, 180}));
  CHECK(near(std::get<1>(ys), {1, 2, 3}));
}

TEST_CASE("scan: says what does not fit, at the line of the call") {
  const auto add_up = [](const Tensor& c, const Tensor& x) { return std::pair{c + x, x}; };
  MISTAKE(ShapeError, scan(add_up, 0.0f, ones({3, 2})), "carry", "f32[]", "f32[2]");
  MISTAKE(DTypeError, scan(add_up, 0.0f, ones({3}, f64)), "f64[]");
  MISTAKE(ShapeError, scan(add_up, 0.0f, 1.0f), "xs has no axis");
  const auto add_both = [](const Tensor& c, const std::tuple<Tensor, Tensor>& x) {
    return std::pair{c + std::get<0>(x), c};
  };
  MISTAKE(ShapeError, scan(add_both, 0.0f, std::tuple{ones({3}), ones({4})}), "f32[3]", "f32[4]");
}

TEST_CASE("map: stacks what the function gives for each x along axis 0") {
  const Tensor xs = tensor({1, 2, 3, 4}, {2, 2});
  CHECK(near(map([](const Tensor& x) { return sum(x * x); }, xs), {5, 25}));
  const auto [a, b] = map([&](const Tensor& x) { return std::pair{matmul(xs, x), x[0]}; }, xs);
  CHECK(near(a, {5, 11, 11, 25}));
  CHECK(near(b, {1, 3}));
}

TEST_CASE("scan: random numbers are others in each step, and in each step of loops in loops") {
  const auto draw = [](const Tensor& x) { return rand({2}) + x; };
  const auto draws = [&](const Tensor& row) { return map(draw, row); };
  const Numbers found = numbers(map(draws, zeros({3, 4})));
  CHECK(std::set<double>(found.begin(), found.end()).size() == 24);
  const Tensor walk = while_loop([](const Tensor& x) { return x < 3.0f; },
                                 [](const Tensor& x) { return x + rand({}) * 0.5f; }, 0.0f);
  CHECK(walk.item<float>() >= 3);
}

TEST_CASE("grad: of branches, loops over axes and loops in branches is that of the plain loop") {
  const Tensor xs = from_vector(std::vector<double>{0.5, -1, 2}, {3});
  const auto recurrent = [&](const Tensor& w) {
    const auto step = [&](const Tensor& c, const Tensor& x) {
      const Tensor next = tanh(c * w + x);
      return std::pair{next, next * w};
    };
    const auto [last, ys] = scan(step, full({}, 0.25, f64), xs);
    return cond(
        sum(ys) > 0.0, [&, y = last] { return y * w; }, [&, y = ys] { return sum(y); });
  };
  const auto plain = [](double w) {
    double carry = 0.25, total = 0;
    for (const double x : {0.5, -1.0, 2.0}) carry = std::tanh(carry * w + x), total += carry * w;
    return total > 0 ? carry * w : total;
  };
  for (const double w : {0.3, -1.7}) {
    const double slope = (plain(w + 1e-6) - plain(w - 1e-6)) / 2e-6;
    CHECK(near(grad(recurrent)(full({}, w, f64)), {slope}));
  }
  const auto twice = grad(grad(recurrent));
  const double h = 1e-4;
  const double curve = (plain(0.3 + h) - 2 * plain(0.3) + plain(0.3 - h)) / (h * h);
  CHECK(near(twice(full({}, 0.3, f64)), {curve}, 1e-5));
}

TEST_CASE("grad: through a while_loop is an error that names scan") {
  const auto doubled = [](const Tensor& x) {
    return while_loop([](const Tensor& y) { return y < 100.0f; },
                      [](const Tensor& y) { return y * 2.0f; }, x);
  };
  CHECK_THROWS_AS(grad(doubled)(full({}, 1.0f)), GradientError);
  const auto constant = [&](const Tensor& x) { return detach(doubled(detach(x))) * x; };
  CHECK(near(grad(constant)(full({}, 1.0f)), {128}));
}
