// test: moved
#include "testing.hpp"

#include <sinter/trace/module/module.hpp>
#include <sinter/trace/ops/elementwise/operators.hpp>

#include <optional>

using namespace testing;

namespace {

struct Scale {
  Tensor weight = ones({2});
  double factor = 2;
  SINTER_MODULE(Scale, weight, factor)
  Tensor forward(Operand x) const { return mul({mul(x, {weight, x.where}), x.where}, factor); }
};

struct Counter {
  int calls = 0;
  Scale scale;
  SINTER_MODULE(Counter, calls, scale)
  Tensor forward(Operand x, double shift) {
    ++calls;
    return add({scale(x), x.where}, shift);
  }
};

struct Overloaded {
  SINTER_MODULE(Overloaded)
  int forward(int x) const { return x + 1; }
  std::string forward(const std::string& x) const { return x + "!"; }
};

struct Hidden {
  Tensor weight = ones({1});
  int note = 0;
  static constexpr int unlisted = 1;
  SINTER_MODULE(Hidden, weight)
};

struct Many {
  std::optional<Tensor> a;
  Scalar b = 1;
  Scale c;
  std::vector<Scale> d;
  std::string e;
  SINTER_MODULE(Many, a, b, c, d, e)
};

// More than the eight members that are listed without a further scan.
struct Wide {
  int a = 0, b = 1, c = 2, d = 3, e = 4, f = 5, g = 6, h = 7, i = 8;
  int j = 9, k = 10, l = 11, m = 12, n = 13, o = 14, p = 15, q = 16;
  SINTER_MODULE(Wide, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q)
};

// Listed for Boost.Hana by hand.
struct ByHand {
  int first = 1, second = 2;
  struct hana_accessors_impl {
    static constexpr auto apply() {
      return boost::hana::make_tuple(SINTER_NAMED_MEMBER(ByHand, "one", first),
                                     SINTER_NAMED_MEMBER(ByHand, "two", second));
    }
  };
};

struct PlainStruct {};

}  // namespace

TEST_CASE("module: a struct with SINTER_MODULE stays an aggregate that can be copied") {
  static_assert(Module<Scale> && Module<Counter> && Module<Hidden> && Module<Many>);
  static_assert(!Module<PlainStruct> && !Module<Tensor>);
  static_assert(std::is_aggregate_v<Scale> && std::is_copy_constructible_v<Many>);
  const Scale scale{.weight = vector({1, 2}), .factor = 3};
  CHECK(near(Scale(scale)(ones({2})), {3, 6}));
}

TEST_CASE("module: forward is the call, const and not") {
  const Scale scale;
  Counter counter;

  CHECK(near(scale(vector({1, 2})), {2, 4}));
  CHECK(near(counter(vector({1, 2}), 0.5), {2.5, 4.5}));
  CHECK(counter.calls == 1);
  static_assert(!std::is_invocable_v<const Counter&, Tensor, double>);
  CHECK(Overloaded()(1) == 2);
  CHECK(Overloaded()(std::string("yes")) == "yes!");
}

TEST_CASE("module: members are visited by name, in the order of the list") {
  std::string names;
  Many many;
  for_each_member(many, [&](const char* name, auto&) { names += name; });
  CHECK(names == "abcde");
  for_each_member(std::as_const(many), [](const char*, auto& member) {
    static_assert(std::is_const_v<std::remove_reference_t<decltype(member)>>);
  });
}

TEST_CASE("module: more than eight members are visited as well, each once") {
  std::string names;
  int sum = 0;
  const Wide wide;
  for_each_member(wide, [&](const char* name, const int& value) {
    names += name;
    sum += value;
  });
  CHECK(names == "abcdefghijklmnopq");
  CHECK(sum == 16 * 17 / 2);
}

TEST_CASE("module: Boost.Hana has the members, and those of a struct that lists them for it") {
  std::string names;
  boost::hana::for_each(boost::hana::accessors<Many>(),
                        [&](auto member) { names += boost::hana::first(member).c_str(); });
  CHECK(names == "abcde");

  ByHand by_hand;
  std::string values;
  for_each_member(by_hand, [&](const char* name, int& value) { values += text(name, value); });
  CHECK(values == "one1two2");
}

TEST_CASE("module: an error in it names the line of its caller") {
  const Scale scale;
  Counter counter;
  MISTAKE(ShapeError, scale(ones({3})), "mul: ", "f32[3]", "f32[2]");
  MISTAKE(ShapeError, counter(ones({3}), 0), "mul: ", "f32[3]", "f32[2]");
}
