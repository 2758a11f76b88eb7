#include <doctest/doctest.h>
#include <sinter/trace/value/lazy.hpp>

#include <algorithm>
#include <iterator>

using namespace sinter;
using namespace sinter::detail;

namespace {

LazyRef negated(const LazyRef& x) {
  Operands operands;
  operands.push_back({x, 0});
  return make_lazy({.op = Op::neg}, std::move(operands), 0);
}

}  // namespace

TEST_CASE("LazyRef: counts its copies, and the last one destroys") {
  LazyRef x = make_lazy({.op = Op::input}, {}, 0);
  CHECK(x->references == 1);
  {
    const LazyRef copy = x;
    CHECK(x->references == 2);
    CHECK(copy == x);
  }
  CHECK(x->references == 1);

  const LazyRef moved = std::move(x);
  CHECK_FALSE(static_cast<bool>(x));
  CHECK(moved->references == 1);
}

TEST_CASE("LazyRef: assignment to itself keeps it") {
  LazyRef x = make_lazy({.op = Op::input}, {}, 0);
  const LazyRef& same = x;
  x = same;
  CHECK(x->references == 1);
}

TEST_CASE("lazy: a value holds what it is computed from") {
  const LazyRef x = make_lazy({.op = Op::input}, {}, 0);
  {
    const LazyRef y = negated(x);
    CHECK(x->references == 2);
  }
  CHECK(x->references == 1);
}

TEST_CASE("lazy: the end of a chain of a million values does not overflow the stack") {
  LazyRef x = make_lazy({.op = Op::input}, {}, 0);
  for (int i = 0; i < 1'000'000; ++i) x = negated(x);
  x.reset();
  CHECK_FALSE(static_cast<bool>(x));
}

TEST_CASE("make_evaluated: has elements") {
  const LazyRef x = make_evaluated({f32, {2}}, Storage::allocate(8));
  CHECK(x->evaluated());
  CHECK(x->elements[0].bytes() == 8);
  CHECK_FALSE(make_lazy({.op = Op::input}, {}, 0)->evaluated());
}

TEST_CASE("Operands: are a list, whether they are few or many") {
  for (std::size_t count = 0; count < 7; ++count) {
    const LazyRef x = make_lazy({.op = Op::input}, {}, 0);
    Operands added;
    Vector<LazyValue> list;
    for (std::uint32_t i = 0; i < count; ++i) {
      added.push_back({x, i});
      list.push_back({x, i});
    }
    const Operands from_list(std::move(list));
    for (const Operands& operands : {added, from_list}) {
      REQUIRE(operands.size() == count);
      CHECK(operands.empty() == (count == 0));
      for (std::size_t i = 0; i < count; ++i) {
        CHECK(operands[i].lazy == x);
        CHECK(operands[i].result == i);
      }
    }
    added.clear();
    CHECK(added.empty());
    CHECK(x->references == 1 + count);
  }
}

TEST_CASE("lazy: a value is where the strongest word of its operands says") {
  const auto at = [](Device device, const Shape& shape) {
    const LazyRef x = make_lazy({.op = Op::input, .results = {{f32, shape}}}, {}, 0);
    x->set_device(device);
    return x;
  };
  const LazyRef none = make_lazy({.op = Op::constant}, {}, 0), number = at(cpu(), {}),
                host = at(cpu(), {2}), gpu = at(cuda(1), {2});
  const LazyRef made = make_lazy({.op = Op::iota}, {}, 0);
  made->place.store(Place::made_on(cuda(1)));
  const LazyRef in_order[] = {none, number, made, host, gpu};
  for (std::size_t i = 0; i < std::size(in_order); ++i) {
    for (std::size_t k = 0; k < std::size(in_order); ++k) {
      CAPTURE(i);
      CAPTURE(k);
      const LazyRef both = make_lazy({.op = Op::add}, {}, 0);
      both->follow(*in_order[i]);
      both->follow(*in_order[k]);
      CHECK(both->place.load().word() == in_order[std::max(i, k)]->place.load().word());
      CHECK(both->device() == in_order[std::max(i, k)]->device());
    }
  }
  CHECK(made->device() == cuda(1));
  made->make_in_scope();  // which is the host's
  CHECK(made->device() == cuda(1));
}
