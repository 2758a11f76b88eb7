#include <doctest/doctest.h>
#include <sinter/trace/context/random_state.hpp>

using namespace sinter;

TEST_CASE("random state: counts draws from the seed on") {
  random::manual_seed(4);
  CHECK(random::next_state().offset == 0);
  CHECK(random::next_state(5).offset == 1);
  CHECK(random::state().offset == 6);
  CHECK(random::state().seed == 4);
}

TEST_CASE("random state: draws that were not made are taken back, unless others drew since") {
  random::manual_seed(4);
  const random::State first = random::next_state(10);
  random::return_state(first, 10, 3);
  CHECK(random::state().offset == 3);
  const random::State second = random::next_state(10);
  random::next_state();
  random::return_state(second, 10);
  CHECK(random::state().offset == 14);
}

TEST_CASE("random state: a call that fails leaves it as it was") {
  random::manual_seed(4);
  { const random::Draw failed(random::Draw::unknown); }
  CHECK(random::state().offset == 0);
  {
    random::Draw kept(7);
    kept.keep();
  }
  CHECK(random::state().offset == 7);
}

TEST_CASE("random state: draws between the two halves of a call come between them") {
  random::manual_seed(4);
  random::Draw call(random::Draw::unknown);
  call.end(2);
  CHECK(random::next_state(3).offset == 2);
  CHECK(call.resume() == 3);
  CHECK(call.state().offset == 0);
  call.end(6);
  call.keep();
  CHECK(random::state().offset == 6);
}
