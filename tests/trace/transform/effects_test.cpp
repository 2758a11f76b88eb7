// Host functions inside of scan, map, vmap, checkpoint, custom_gradient, branches and loops: called
// in order, with the elements, on every run.

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

namespace {

Tensor in_branch(const Tensor& x) {
  return cond(
      sum(x) > 0,
      [](const Tensor& y) {
        host(note)(y * 2.0f);
        return y;
      },
      [](const Tensor& y) {
        host(note)(y * 3.0f);
        return -y;
      },
      x);
}

// The condition is computed once more than the body.
Tensor in_loop(const Tensor& x) {
  return while_loop(
      [](const Tensor& v) {
        host(note)(v);
        return v < 8.0f;
      },
      [](const Tensor& v) {
        host(note)(-v);
        return v * 2.0f;
      },
      x);
}

// A branch in each step; what the steps themselves note is called after them.
Tensor branch_in_scan(const Tensor& xs) {
  return scan(
             [](const Tensor& carry, const Tensor& x) {
               const Tensor next = in_branch(carry + x);
               host(note)(x * 100.0f);
               return std::pair{next, next};
             },
             zeros({}), xs)
      .second;
}

Tensor scan_in_branch(const Tensor& xs) {
  return cond(
      sum(xs) > 0, cumulated, [](const Tensor& x) { return x * 0.0f; }, xs);
}

struct Counter {
  Tensor count = zeros({});
  SINTER_MODULE(Counter, count)
};

Tensor branch_in_checkpoint(const Tensor& x) {
  return checkpoint([](const Tensor& y) {
    const Tensor z = in_branch(y * y);
    host(note)(z * 10.0f);
    return z;
  })(x);
}

template <auto function>
Tensor gradient_of_sum(const Tensor& x) {
  return grad([](const Tensor& y) { return sum(function(y)); })(x);
}

}  // namespace

TEST_CASE("host functions: branches and loops call them where they run") {
  const Tensor x = from_vector(List{1, 2}, {2});
  check_seen({2, 4}, in_branch, x);
  check_seen({-3, -6}, in_branch, -x);
  check_seen({3, -3, 6, -6, 12}, in_loop, full({}, 3.0f));
  check_seen({9}, in_loop, full({}, 9.0f));
  check_seen({2, 6, 100, 200}, branch_in_scan, x);
  check_seen({1, 1, 3, 2}, scan_in_branch, x);
  check_seen({}, scan_in_branch, -x);
}

TEST_CASE("host functions: a gradient does not call those of branches a second time") {
  const Tensor x = from_vector(List{1, 2}, {2});
  check_seen({2, 4}, gradient_of_sum<in_branch>, x);
  check_seen({2, 6, 100, 200}, gradient_of_sum<branch_in_scan>, x);
  check_seen({1, 1, 3, 2}, gradient_of_sum<scan_in_branch>, x);
  check_seen({2, 8, 10, 40}, branch_in_checkpoint, x);
  check_seen({2, 8, 10, 40}, gradient_of_sum<branch_in_checkpoint>, x);
}

TEST_CASE("host functions: branches whose results nobody reads call them, each its own") {
  static int first = 0, second = 0;
  const auto calling = [](auto function) {
    return [=](const Tensor& x) {
      cond(
          sum(x) > 0,
          [=](const Tensor& y) {
            host(function)(y);
            return y;
          },
          [](const Tensor& y) { return y; }, x);
      return x * 2.0f;
    };
  };
  const auto f = compile(calling([](const Tensor&) { ++first; }));
  const auto g = compile(calling([](const Tensor&) { ++second; }));
  for (int i = 0; i < 3; ++i) f(ones({2}));
  for (int i = 0; i < 5; ++i) g(ones({2}));
  CHECK(first == 3);
  CHECK(second == 5);
}

TEST_CASE("host functions: one in a branch has captures") {
  List numbers;
  const auto f = compile([&](const Tensor& x) {
    return cond(
        sum(x) > 0,
        [&](const Tensor& y) {
          host([&numbers](const Tensor& z) { numbers.push_back(z.item<float>()); })(sum(y));
          return y;
        },
        [](const Tensor& y) { return y; }, x);
  });
  for (const float x : {1.0f, -1.0f, 2.0f}) f(full({2}, x));
  CHECK(numbers == List{2, 4});
}

TEST_CASE("host functions: what one in a loop throws arrives, and arguments are unchanged") {
  Counter counter;
  const auto f = compile([](Counter& c, const Tensor& x) {
    c.count += 1.0f;
    return while_loop([](const Tensor& v) { return v < 8.0f; },
                      [](const Tensor& v) {
                        host([](const Tensor& y) {
                          if (y.item<float>() == 6) throw std::runtime_error("six");
                        })(v);
                        return v * 2.0f;
                      },
                      x);
  });
  for (int i = 0; i < 2; ++i) {
    CHECK_THROWS_WITH_AS(f(counter, full({}, 3.0f)), "six", std::runtime_error);
    CHECK(counter.count.item<float>() == 0);
  }
  CHECK(f(counter, full({}, 2.0f)).item<float>() == 8);
  CHECK(counter.count.item<float>() == 1);
}

TEST_CASE("host functions: a branch of a batch and a reference refuse them, with the way out") {
  const auto of_rows = vmap([](const Tensor& row) { return in_branch(row); });
  CHECK_THROWS_WITH_AS(compile(of_rows)(ones({2, 2})), doctest::Contains("return the value"),
                       GraphBreakError);
  const auto with_reference = custom_op<"test::told">({
      .reference =
          [](const Tensor& x) {
            host(note)(x);
            return x;
          },
  });
  CHECK_THROWS_WITH_AS(with_reference(ones({2})), doctest::Contains("outside of it"),
                       GraphBreakError);
}
