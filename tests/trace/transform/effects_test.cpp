// Host functions inside of scan, map, vmap, checkpoint and custom_gradient: called in order, with
// the elements, on every run.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "jit/support.hpp"

using namespace testing;

namespace {

std::vector<float>& seen() {
  static std::vector<float> list;
  return list;
}

void note(const Tensor& x) {
  for (const float value : x.to_vector<float>()) seen().push_back(value);
}

using List = std::vector<float>;

// What the host saw when `function` ran as it is, compiled, and replayed.
template <class F, class... Args>
void check_seen(const List& expected, F function, const Args&... args) {
  const auto compiled = compile(function, {.fullgraph = true});
  const auto run = [&](const auto& one) {
    seen().clear();
    one(args...);
    CHECK(seen() == expected);
  };
  run(function);
  run(compiled);
  run(compiled);
  CHECK(compiled.stats().recordings == 1);
  CHECK(compiled.stats().breaks == 0);
}

Tensor cumulated(const Tensor& xs) {
  return scan(
             [](const Tensor& carry, const Tensor& x) {
               const Tensor next = carry + x;
               host(note)(next);
               host(note)(x);
               return std::pair{next, next * 2.0f};
             },
             zeros({}), xs)
      .second;
}

Tensor with_random(const Tensor& xs) {
  return scan(
             [](const Tensor& carry, const Tensor& x) {
               const Tensor drawn = rand({});
               host(note)(drawn);
               return std::pair{carry + x, drawn};
             },
             zeros({}), xs)
      .second;
}

Tensor mapped(const Tensor& xs) {
  return map(
      [](const Tensor& x) {
        host(note)(x);
        return x * 2.0f;
      },
      xs);
}

Tensor of_rows(const Tensor& x) {
  return vmap([](const Tensor& row) {
    host(note)(sum(row));
    host(note)(row[0]);
    return row * 2.0f;
  })(x);
}

Tensor of_columns_of_rows(const Tensor& x) {
  return vmap([](const Tensor& row) {
    return vmap([](const Tensor& one) {
      host(note)(one + 1.0f);
      return one;
    })(row);
  })(x);
}

Tensor checkpointed(const Tensor& x) {
  return grad([](const Tensor& v) {
    const auto part = checkpoint([](const Tensor& y) {
      const Tensor z = sin(y);
      host(note)(z);
      return sum(z * z);
    });
    return part(v);
  })(x);
}

Tensor custom(const Tensor& x) {
  const auto own = custom_gradient(
      [](const Tensor& y) {
        host(note)(y * 3.0f);
        return y * y;
      },
      [](const Tensor& y, const Tensor&, const Tensor& g) { return g * y * 2.0f; });
  return own(x);
}

}  // namespace

TEST_CASE("host functions: scan and map call them for each step, in order") {
  const Tensor xs = from_vector(List{1, 2, 3}, {3});
  check_seen({1, 1, 3, 2, 6, 3}, cumulated, xs);
  check_seen({1, 2, 3}, mapped, xs);
}

TEST_CASE("host functions: scan gives them the numbers that the step draws") {
  seen().clear();
  const Tensor drawn = compile(with_random)(ones({4}));
  CHECK(seen() == drawn.to_vector<float>());
  CHECK(seen().size() == 4);
}

TEST_CASE("host functions: vmap calls them for each sample, nested too") {
  const Tensor x = from_vector(List{1, 2, 3, 4}, {2, 2});
  check_seen({3, 1, 7, 3}, of_rows, x);
  check_seen({2, 3, 4, 5}, of_columns_of_rows, x);
}

TEST_CASE("host functions: checkpoint and custom_gradient call them once") {
  const Tensor x = from_vector(List{0, 1}, {2});
  seen().clear();
  checkpointed(x);
  CHECK(seen().size() == 2);
  CHECK(seen()[1] == doctest::Approx(0.841471f));
  const auto compiled = compile(checkpointed, {.fullgraph = true});
  for (int i = 0; i < 2; ++i) {
    seen().clear();
    const Tensor g = compiled(x);
    CHECK(seen().size() == 2);
    CHECK(g.to_vector<float>()[1] == doctest::Approx(0.909297f));
  }
  check_seen({0, 3}, custom, x);
}

TEST_CASE("host functions: without operands they are called as often as the body runs") {
  static int calls = 0;
  const auto count = [](const Tensor& x) {
    return vmap([](const Tensor& row) {
      host([] { ++calls; })();
      return row;
    })(x);
  };
  calls = 0;
  count(ones({5, 2}));
  CHECK(calls == 5);
  const auto compiled = compile(count);
  compiled(ones({5, 2}));
  compiled(ones({5, 2}));
  CHECK(calls == 15);
}

TEST_CASE("host functions: a branch refuses them, with the way out") {
  const auto branch = [](const Tensor& x) {
    return cond(
        sum(x) > 0,
        [](const Tensor& y) {
          host(note)(y);
          return y;
        },
        [](const Tensor& y) { return -y; }, x);
  };
  CHECK_THROWS_WITH_AS(compile(branch)(ones({2})), doctest::Contains("return the value"),
                       GraphBreakError);
}
