#include <doctest/doctest.h>
#include <sinter/jit/compile.hpp>
#include <sinter/trace/interop/custom_op.hpp>
#include <sinter/trace/interop/host.hpp>
#include <sinter/trace/module/call_at.hpp>
#include <sinter/trace/transform/checkpoint.hpp>
#include <sinter/trace/transform/grad.hpp>
#include <sinter/trace/transform/vmap.hpp>

#include <functional>
#include <string>
#include <tuple>

#include "trace/testing.hpp"

using namespace testing;

namespace {

const Where user = Where::current();

// Overloads for what changes and what does not, and for two arguments, as those of sinter's layers.
struct TwoWays {
  int calls = 0;
  SINTER_MODULE(TwoWays, calls)
  Where forward(Operand x) const { return x.where; }
  Where forward(Operand x) { return ++calls, x.where; }
  Where forward(Operand x, const Tensor&) const { return x.where; }
  Where operator()(Operand x) const { return forward(x); }
  Where operator()(Operand x) { return forward(x); }
  Where operator()(Operand x, const Tensor& y) const { return forward(x, y); }
};

Where second_of(const Tensor&, Operand y) { return y.where; }

struct CountsCopies {
  int copies = 0;
  CountsCopies() = default;
  CountsCopies(const CountsCopies& other) : copies(other.copies + 1) {}
};

}  // namespace

TEST_CASE("call_at: operands and places that a function takes are of the line that is given") {
  Tensor x = vector({1, 2});
  const auto operand = [](Operand a) { return a.where; };
  const auto place = [](const Tensor&, Where where = Where::current()) { return where; };
  const auto neither = [](const Tensor& a) { return Operand(a).where; };
  CHECK(to_string(detail::call_at(user, operand, x)) == to_string(user));
  CHECK(to_string(detail::call_at(user, place, x)) == to_string(user));
  CHECK(to_string(detail::call_at(user, second_of, x, x)) == to_string(user));
  CHECK(to_string(detail::call_at(user, neither, x)) != to_string(user));
  std::tuple both{x, 2.0};
  const auto numbers = [](Operand, Operand b) { return b.where; };
  CHECK(to_string(detail::apply_at(user, numbers, both)) == to_string(user));
  CHECK(to_string(detail::call_as<Tensor, double>(user, numbers, x, std::get<1>(both))) ==
        to_string(user));
}

TEST_CASE("call_at: the line is that of overloads too, and of an operand that has one its own") {
  Tensor x = vector({1, 2});
  TwoWays module;
  const TwoWays& same = module;
  CHECK(to_string(detail::call_at(user, module, x)) == to_string(user));
  CHECK(to_string(detail::call_at(user, same, x)) == to_string(user));
  CHECK(to_string(detail::call_at(user, module, x, x)) == to_string(user));
  CHECK(module.calls == 1);  // by the overload that changes it, where it is not const
  Operand own(x);
  CHECK(to_string(detail::call_at(user, module, own)) == to_string(own.where));
}

TEST_CASE(
    "call_at: a typed tensor that an argument does not convert to is an error with the line") {
  const Tensor x = vector({1, 2});
  const auto typed = [](const TensorOf<float, 3>& a) { return sum(a); };
  const auto line_of = [](const auto& call) {
    try {
      call();
    } catch (const ShapeError& error) {
      return to_string(error.where());
    }
    return std::string();
  };
  const std::string line = to_string(user).substr(0, to_string(user).find(':'));
  for (const std::string& found :
       {line_of([&] { detail::call_at(user, typed, x); }), line_of([&] { grad(typed)(x); }),
        line_of([&] { compile(typed)(x); })}) {
    CHECK(found.starts_with(line));
  }
}

TEST_CASE("call_at: no function is an error with the line, whoever was to call it") {
  Tensor x = vector({1, 2});
  const std::function<Tensor(Tensor)> none;
  const std::function<void(Tensor)> silent;
  Tensor (*const pointer)(const Tensor&) = nullptr;
  const auto is_refused = [](auto&& call, Where line) {
    try {
      call();
    } catch (const ValueError& error) {
      INFO(error.what());
      CHECK(std::string(error.what()).find("call: there is no function") == 0);
      CHECK(to_string(error.where()) == to_string(line));
      return true;
    }
    return false;
  };
  CHECK(is_refused([&] { detail::call_at(user, none, x); }, user));
  CHECK(is_refused([&] { compile(none, {}, user)(x); }, user));
  CHECK(is_refused([&] { compile(pointer, {}, user)(x); }, user));
  CHECK(is_refused([&] { grad(none, 0, user)(x); }, user));
  CHECK(is_refused([&] { vmap(none, 0, 0, user)(x); }, user));
  CHECK(is_refused([&] { checkpoint(pointer, user)(x); }, user));
  CHECK(is_refused([&] { host(silent, user)(x); }, user));
  CHECK(is_refused([&] { disable(none, Recursive::yes, user)(x); }, user));
  CHECK(is_refused([&] { custom_op<"test::none">({.forward = none}, user)(x); }, user));
}

TEST_CASE("call_at: what is no operand is passed as it would be without it") {
  CountsCopies counted;
  const auto by_value = [](CountsCopies given) { return given.copies; };
  const auto by_reference = [](CountsCopies& given) -> CountsCopies& { return given; };
  CHECK(detail::call_as<CountsCopies>(user, by_value, counted) == 1);
  CHECK(&detail::call_at(user, by_reference, counted) == &counted);
  const auto generic = [](const auto& given) {
    return std::is_same_v<decltype(given), const Tensor&>;
  };
  Tensor x = vector({1, 2});
  CHECK(detail::call_at(user, generic, x));
  const auto member = &CountsCopies::copies;
  CHECK(detail::call_at(user, member, counted) == 0);
}
