#include <doctest/doctest.h>
#include <sinter/guard/snapshot.hpp>

#include <map>
#include <optional>

#include "trace/testing.hpp"

using namespace testing;

namespace {

struct State {
  Tensor weight = vector({1, 2});
  std::optional<Tensor> bias{};
  std::vector<Tensor> list{};
  std::map<std::string, Tensor> named{};
  std::string kind = "plain";
  double rate = 0.5;
  SINTER_MODULE(State, weight, bias, list, named, kind, rate)
};

// The snapshot of an argument, and its comparison with another one.
struct Noted {
  template <class T>
  explicit Noted(T& value) {
    snapshot.watch = watch_count();
    guard::note(value, snapshot);
    guard::collect(value, leaves);
  }

  template <class T>
  bool holds(T& value, bool moves = false) {
    unwatched.clear();
    guard::Comparison state{.next = snapshot.words.data(),
                            .leaf = leaves.list.data(),
                            .first = leaves.list.data(),
                            .unwatched = &unwatched,
                            .moves = moves};
    guard::compare(value, state);
    return state.equal && snapshot.watch == watch_count();
  }

  guard::Snapshot snapshot{};
  guard::Leaves leaves{};
  Vector<std::uint32_t> unwatched{};
};

// True if a state equals its snapshot after `change`.
template <class Change>
bool survives(Change change) {
  State state;
  state.list = {vector({1}), vector({2})};
  state.named["one"] = vector({3});
  const State before = state;  // holds what is replaced
  Noted noted(state);
  change(state);
  return noted.holds(state);
}

}  // namespace

TEST_CASE("snapshot: module state is equal while its handles are") {
  CHECK(survives([](State&) {}));
  CHECK(survives([](State& state) { state = State(state); }));
  CHECK(survives([](State& state) { state.list.reserve(100); }));
}

TEST_CASE("snapshot: another tensor, number, text, key, length or presence is a difference") {
  CHECK_FALSE(survives([](State& state) { state.weight = vector({1, 2}); }));
  CHECK_FALSE(survives([](State& state) { state.weight = Tensor(); }));
  CHECK_FALSE(survives([](State& state) { state.bias = vector({1}); }));
  CHECK_FALSE(survives([](State& state) { state.list.pop_back(); }));
  CHECK_FALSE(survives([](State& state) { state.list.resize(500, vector({1})); }));
  CHECK_FALSE(survives([](State& state) { std::swap(state.list[0], state.list[1]); }));
  CHECK_FALSE(survives([](State& state) {
    state.named["two"] = state.named["one"];
    state.named.erase("one");
  }));
  CHECK_FALSE(survives([](State& state) { state.kind = "other"; }));
  CHECK_FALSE(survives([](State& state) { state.rate = 0.25; }));
}

TEST_CASE("snapshot: destroyed state is not confused with state at the same address") {
  State state;
  Noted noted(state);
  for (int i = 0; i < 100; ++i) {
    state.weight = Tensor();  // its memory is what the next one is likely to get
    state.weight = vector({1, 2});
    CHECK_FALSE(noted.holds(state));
  }
}

TEST_CASE("snapshot: other tensors are unwatched; only their presence is noted") {
  std::vector<Tensor> list{vector({1}), Tensor(), vector({2})};
  Noted noted(list);
  list[2] = vector({7, 8});
  REQUIRE(noted.holds(list));
  CHECK(noted.unwatched == Vector<std::uint32_t>{0, 1});
  CHECK(noted.leaves.list[1].tensor == &list[2]);
  list[1] = vector({1});
  CHECK_FALSE(noted.holds(list));
}

TEST_CASE("snapshot: updates the addresses of handles that have moved on request") {
  State state;
  Noted noted(state);
  State moved = state;
  REQUIRE(noted.holds(moved));
  CHECK(noted.leaves.list[0].tensor == &state.weight);
  REQUIRE(noted.holds(moved, true));
  CHECK(noted.leaves.list[0].tensor == &moved.weight);
}
