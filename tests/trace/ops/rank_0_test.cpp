// A tensor of rank 0 has the axes 0 and -1 in every function that works along an axis, as in torch:
// shapes and numbers of torch 2.15.

#include "testing.hpp"

#include <sinter/sinter.hpp>

#include <functional>
#include <utility>

using namespace testing;

namespace {

using Along = std::function<Tensor(const Tensor& x, int axis)>;

struct Case {
  const char* name;
  Along f;
  Shape shape{};
  Numbers expected{};
};

const Tensor& zero() {
  static const Tensor tensor = full({}, 0);
  return tensor;
}

const Tensor& list() {
  static const Tensor tensor = integers({0});
  return tensor;
}

// Each gives these numbers, at once and compiled, for both axes, and refuses axis 1.
void check_cases(const std::vector<Case>& cases) {
  const Tensor x = full({}, 3.0f);
  for (const Case& one : cases) {
    CAPTURE(one.name);
    for (const int axis : {0, -1}) {
      const Tensor found = one.f(x, axis);
      const auto along = [&](const Tensor& t) { return one.f(t, axis); };
      const auto compiled = compile(along, {.backend = Backend::eager});
      CHECK(found.shape() == one.shape);
      CHECK(near(found, one.expected));
      CHECK(compiled(x).shape() == one.shape);
      CHECK(near(compiled(x), one.expected));
    }
    CHECK_THROWS_AS(numbers(one.f(x, 1)), UserError);
  }
}

}  // namespace

TEST_CASE("rank 0: reductions reduce nothing") {
  check_cases({
      {"sum", [](const Tensor& x, int axis) { return sum(x, axis); }, {}, {3}},
      {"sum kept", [](const Tensor& x, int axis) { return sum(x, axis, true); }, {}, {3}},
      {"prod", [](const Tensor& x, int axis) { return prod(x, axis); }, {}, {3}},
      {"mean", [](const Tensor& x, int axis) { return mean(x, axis); }, {}, {3}},
      {"nansum", [](const Tensor& x, int axis) { return nansum(x, axis); }, {}, {3}},
      {"nanmean", [](const Tensor& x, int axis) { return nanmean(x, axis); }, {}, {3}},
      {"max", [](const Tensor& x, int axis) { return max(x, axis); }, {}, {3}},
      {"min", [](const Tensor& x, int axis) { return min(x, axis, true); }, {}, {3}},
      {"amax", [](const Tensor& x, int axis) { return amax(x, axis); }, {}, {3}},
      {"any", [](const Tensor& x, int axis) { return sinter::any(x, axis); }, {}, {1}},
      {"all", [](const Tensor& x, int axis) { return all(x, axis); }, {}, {1}},
      {"count_nonzero", [](const Tensor& x, int axis) { return count_nonzero(x, axis); }, {}, {1}},
      {"argmax", [](const Tensor& x, int axis) { return argmax(x, axis); }, {}, {0}},
      {"argmin", [](const Tensor& x, int axis) { return argmin(x, axis, true); }, {}, {0}},
      {"var", [](const Tensor& x, int axis) { return var(x, axis); }, {}, {not_a_number}},
      {"std", [](const Tensor& x, int axis) { return sinter::std(x, axis, false, 0); }, {}, {0}},
      {"norm", [](const Tensor& x, int axis) { return norm(x, 2, axis); }, {}, {3}},
      {"logsumexp", [](const Tensor& x, int axis) { return logsumexp(x, axis); }, {}, {3}},
  });
}

TEST_CASE("rank 0: rows are of one element") {
  check_cases({
      {"softmax", [](const Tensor& x, int axis) { return softmax(x, axis); }, {}, {1}},
      {"log_softmax", [](const Tensor& x, int axis) { return log_softmax(x, axis); }, {}, {0}},
      {"softmin", [](const Tensor& x, int axis) { return softmin(x, axis); }, {}, {1}},
      {"cumsum", [](const Tensor& x, int axis) { return cumsum(x, axis); }, {}, {3}},
      {"cumprod", [](const Tensor& x, int axis) { return cumprod(x, axis); }, {}, {3}},
      {"sort", [](const Tensor& x, int axis) { return sort(x, axis).values; }, {}, {3}},
      {"argsort", [](const Tensor& x, int axis) { return argsort(x, axis); }, {}, {0}},
      {"topk", [](const Tensor& x, int axis) { return topk(x, 1, axis).values; }, {}, {3}},
      {"kthvalue", [](const Tensor& x, int axis) { return kthvalue(x, 1, axis).values; }, {}, {3}},
      {"median", [](const Tensor& x, int axis) { return median(x, axis).values; }, {}, {3}},
      {"quantile", [](const Tensor& x, int axis) { return quantile(x, 0.5, axis); }, {}, {3}},
      {"normalize", [](const Tensor& x, int axis) { return normalize(x, 2, axis); }, {}, {1}},
      {"cosine_similarity",
       [](const Tensor& x, int axis) { return cosine_similarity(x, x, axis); },
       {},
       {1}},
  });
  CHECK(near(pairwise_distance(full({}, 3.0f), full({}, 5.0f)), {2}));
}

TEST_CASE("rank 0: there is nothing to move") {
  check_cases({
      {"squeeze", [](const Tensor& x, int axis) { return squeeze(x, axis); }, {}, {3}},
      {"flip", [](const Tensor& x, int axis) { return flip(x, axis); }, {}, {3}},
      {"roll", [](const Tensor& x, int axis) { return roll(x, 2, axis); }, {}, {3}},
      {"transpose", [](const Tensor& x, int axis) { return transpose(x, axis, 0); }, {}, {3}},
      {"swapaxes", [](const Tensor& x, int axis) { return swapaxes(x, 0, axis); }, {}, {3}},
      {"moveaxis", [](const Tensor& x, int axis) { return moveaxis(x, axis, -1); }, {}, {3}},
      {"flatten", [](const Tensor& x, int axis) { return flatten(x, axis, axis); }, {1}, {3}},
      {"unflatten",
       [](const Tensor& x, int axis) {
         return unflatten(x, axis, {1, 1});
       },
       {1, 1},
       {3}},
      {"unfold", [](const Tensor& x, int axis) { return unfold(x, axis, 1, 1); }, {1}, {3}},
      {"repeat_interleave",
       [](const Tensor& x, int axis) { return repeat_interleave(x, 2, axis); },
       {2},
       {3, 3}},
  });
}

TEST_CASE("rank 0: the one index is 0") {
  const auto five = [] { return full({}, 5.0f); };
  check_cases({
      {"index_select",
       [](const Tensor& x, int axis) { return index_select(x, axis, list()); },
       {},
       {3}},
      {"index_select 0",
       [](const Tensor& x, int axis) { return index_select(x, axis, zero()); },
       {},
       {3}},
      {"take", [](const Tensor& x, int axis) { return take(x, list(), axis); }, {1}, {3}},
      {"gather", [](const Tensor& x, int axis) { return gather(x, axis, zero()); }, {}, {3}},
      {"gather 1", [](const Tensor& x, int axis) { return gather(x, axis, list()); }, {1}, {3}},
      {"take_along_axis",
       [](const Tensor& x, int axis) { return take_along_axis(x, zero(), axis); },
       {},
       {3}},
      {"scatter",
       [=](const Tensor& x, int axis) { return scatter(x, axis, zero(), five()); },
       {},
       {5}},
      {"scatter_add",
       [=](const Tensor& x, int axis) { return scatter_add(x, axis, zero(), five()); },
       {},
       {8}},
      {"index_add",
       [=](const Tensor& x, int axis) { return index_add(x, axis, zero(), five()); },
       {},
       {8}},
      {"index_copy",
       [](const Tensor& x, int axis) { return index_copy(x, axis, list(), full({1}, 5.0f)); },
       {},
       {5}},
      {"index_fill",
       [](const Tensor& x, int axis) { return index_fill(x, axis, list(), 7); },
       {},
       {7}},
  });
}

TEST_CASE("rank 0: what needs an axis that is there refuses, as torch does") {
  const Tensor x = full({}, 3.0f);
  MISTAKE(IndexError, x.size(0), "size: ", "has no axes");
  MISTAKE(IndexError, narrow(x, 0, 0, 1), "narrow: ", "has no axes");
  MISTAKE(IndexError, split(x, 1), "split: ", "has no axes");
  MISTAKE(IndexError, chunk(x, 1), "chunk: ", "has no axes");
  MISTAKE(IndexError, unbind(x), "unbind: ", "has no axes");
  MISTAKE(ValueError, sum(x, {0, -1}), "sum: ", "an axis is named twice");
}
