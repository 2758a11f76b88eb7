// test: moved
// Promise 1: a tensor is a value.

#include <doctest/doctest.h>

#include <cstdint>

#include "promises/promises.hpp"

#include <sinter/base/container/unique_ptr.hpp>

using namespace testing;

namespace {

// Memory of the user's, which has to stay as it is.
struct Lent {
  std::vector<float> memory = std::vector<float>(4096, 1.0f);
  Tensor tensor() const { return view(memory.data(), {4096}); }
  bool intact() const { return memory == std::vector<float>(4096, 1.0f); }
  bool holds(const float* address) const {
    return address >= memory.data() && address < memory.data() + memory.size();
  }
};

}  // namespace

TEST_CASE("promise 2.1: x += y rebinds x, and nothing else sees it") {
  Tensor x = vector({1, 2, 3});
  const Tensor copy = x;
  const std::vector<Tensor> list{x, x};
  x += 1.0f;
  x *= vector({2, 2, 2});
  x -= x / 4.0f;
  CHECK(near(x, {3, 4.5, 6}));
  CHECK(near(copy, {1, 2, 3}));
  CHECK(near(list[1], {1, 2, 3}));
}

TEST_CASE("promise 2.1: x += y keeps to itself in a compiled function as well") {
  const auto f = compile([](const Tensor& x) {
    Tensor y = x;
    y += 1.0f;
    const Tensor z = y;
    y *= 10.0f;
    return std::vector<Tensor>{x * 1.0f, y, z};
  });
  const std::vector<Tensor> results = f(vector({1, 2}));
  CHECK(near(results[0], {1, 2}));
  CHECK(near(results[1], {20, 30}));
  CHECK(near(results[2], {2, 3}));
}

TEST_CASE("promise 2.1: parts and other shapes of a tensor are no views of it") {
  Tensor x = counting({2, 3});
  Tensor row = x[0], flat = reshape(x, {6}), turned = transpose(x, 0, 1);
  const Tensor part = x[{all, Slice{1, 3}}];
  elements_of(flat);  // evaluated or not, it is the same
  x += 100.0f;
  row += 10.0f;
  flat *= 0.0f;
  CHECK(near(x, {100, 101, 102, 103, 104, 105}));
  CHECK(near(row, {10, 11, 12}));
  CHECK(is(flat, 0));
  CHECK(near(turned, {0, 3, 1, 4, 2, 5}));
  CHECK(near(part, {1, 2, 4, 5}));
}

TEST_CASE("promise 2.1: state that is updated in place is seen through no other handle") {
  const auto add = compile([](Tensor& total, const Tensor& x) { total += x; });
  Tensor total = ready(zeros({64}));
  const Tensor flat = reshape(total, {8, 8}), same = total;
  elements_of(flat);
  for (int i = 0; i < 3; ++i) add(total, ones({64}));
  CHECK(is(total, 3));
  CHECK(is(flat, 0));
  CHECK(is(same, 0));
}

TEST_CASE("promise 2.1: memory from outside is read where it lies" *
          doctest::test_suite("host: its memory is of the host")) {
  std::vector<float> memory{1, 2, 3, 4};
  const Tensor x = view(memory.data(), {2, 2});
  CHECK(place(x) == memory.data());
  CHECK(near(x * 2.0f, {2, 4, 6, 8}));
  const auto f = compile([](const Tensor& v) { return v + 1.0f; });
  CHECK(near(f(x), {2, 3, 4, 5}));
  memory[0] = 5;  // nothing waits to read it: new readers see what is there now
  CHECK(near(f(x), {6, 3, 4, 5}));
}

TEST_CASE("promise 2.1: memory from outside is never written, as state neither" *
          doctest::test_suite("host: its memory is of the host")) {
  const Lent outside;
  const auto update = compile([](Tensor& state, const Tensor& x) { state = state * 2.0f + x; });
  Tensor state = outside.tensor();
  const Tensor x = ready(ones({4096}));
  double expected = 1;
  for (int i = 0; i < 4; ++i) {
    update(state, x);
    expected = 2 * expected + 1;
    CHECK(is(state, expected));
    CHECK_FALSE(outside.holds(state.data<float>()));
  }
  Tensor eager = outside.tensor();
  eager += 1.0f;
  elements_of(eager);
  CHECK(outside.intact());
}

TEST_CASE("promise 2.1: memory from outside is never given away to other tensors") {
  const Lent outside;
  const auto f = compile([](const Tensor& x) { return sin(x) * 0.0f + 7.0f; });
  for (int i = 0; i < 20; ++i) {
    const Tensor result = f(outside.tensor());  // a temporary, whose memory nobody else holds
    CHECK_FALSE(outside.holds(result.data<float>()));
    const Tensor fresh = ready(zeros({4096}));
    CHECK_FALSE(outside.holds(fresh.data<float>()));
  }
  CHECK(outside.intact());
}

TEST_CASE("promise 2.1: memory from outside need only live until what reads it has run" *
          doctest::test_suite("host: its memory is of the host")) {
  auto memory = make_unique_ptr<std::vector<float>>(100, 3.0f);
  const Tensor doubled = view(memory->data(), {100}) * 2.0f;
  const auto f = compile([](const Tensor& x) { return x + 1.0f; });
  const Tensor compiled = f(view(memory->data(), {100}));
  elements_of(doubled);
  std::fill(memory->begin(), memory->end(), -1.0f);
  memory.reset();
  CHECK(is(doubled, 6));
  CHECK(is(compiled, 4));
}

TEST_CASE("promise 2.1: data() is valid until the tensor is assigned or destroyed") {
  Tensor x = randn({1000});
  const float* const data = x.data<float>();
  const float first = data[0], last = data[999];
  Tensor copy = x;
  const auto f = compile([](const Tensor& v) { return tanh(v) + v; });
  for (int i = 0; i < 10; ++i) {
    elements_of(f(x));
    elements_of(copy * 2.0f);
    CHECK(x.data<float>() == data);
  }
  copy = Tensor();
  elements_of(randn({1000}));
  CHECK(data[0] == first);
  CHECK(data[999] == last);
}

TEST_CASE("promise 2.1: data() outlives the tensors that its own was made of") {
  Tensor reshaped, detached;
  {
    const Tensor x = counting({3, 4});
    reshaped = reshape(x, {12});
    detached = detach(x);
    elements_of(x);
  }
  const float* const data = reshaped.data<float>();
  const float* const other = detached.data<float>();
  for (int i = 0; i < 20; ++i) elements_of(randn({12}));
  CHECK(data[11] == 11);
  CHECK(other[5] == 5);
}

TEST_CASE("promise 2.1: data() of a copy stays when state is updated") {
  const auto add = compile([](Tensor& total, const Tensor& x) { total += x; });
  Tensor total = ready(zeros({32}));
  const Tensor snapshot = total;
  const float* const data = snapshot.data<float>();
  for (int i = 0; i < 5; ++i) add(total, ones({32}));
  CHECK(snapshot.data<float>() == data);
  CHECK(data[31] == 0);
  CHECK(total.data<float>()[31] == 5);
}
