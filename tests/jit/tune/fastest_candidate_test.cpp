#include <doctest/doctest.h>
#include <sinter/jit/tune/fastest_candidate.hpp>

using sinter::detail::jit::FastestCandidate;

namespace {

// Runs rounds in which each remaining candidate takes the time in `times`.
void run(FastestCandidate& fastest, int rounds, const std::vector<std::int64_t>& times) {
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t turn = 0; turn < fastest.size(); ++turn) {
      fastest.note(fastest.at(turn), times[fastest.at(turn)]);
    }
    fastest.end_round();
  }
}

}  // namespace

TEST_CASE("fastest candidate: the fastest candidate replaces the default") {
  FastestCandidate fastest(3);
  run(fastest, 5, {1000, 900, 950});
  CHECK(fastest.winner() == 1);
  CHECK(fastest.best(1) == 900);
}

TEST_CASE("fastest candidate: a candidate that is a little faster does not win") {
  FastestCandidate fastest(2);
  run(fastest, 5, {1000, 960});
  CHECK(fastest.winner() == 0);
}

TEST_CASE("fastest candidate: a candidate that cannot run is dropped, also within a round") {
  FastestCandidate fastest(3);
  fastest.note(fastest.at(0), 1000);
  CHECK(fastest.at(1) == 1);
  fastest.drop(1);
  CHECK(fastest.at(1) == 2);
  fastest.note(2, 500);
  fastest.end_round();
  CHECK(fastest.size() == 2);
  run(fastest, 3, {1000, 1, 500});
  CHECK(fastest.winner() == 2);
  CHECK(fastest.best(1) == -1);
}

TEST_CASE("fastest candidate: one fast round decides nothing, nor do too few rounds") {
  FastestCandidate lucky(2), short_one(2);
  run(lucky, 1, {1000, 500});
  run(lucky, 4, {1000, 1000});
  CHECK(lucky.winner() == 0);
  run(short_one, 2, {1000, 800});
  CHECK(short_one.winner() == 0);
}

TEST_CASE("fastest candidate: one slow round of the default or of a candidate decides nothing") {
  FastestCandidate fastest(2);
  run(fastest, 1, {5000, 1000});
  run(fastest, 4, {1000, 1000});
  CHECK(fastest.winner() == 0);
  FastestCandidate other(2);
  run(other, 1, {1000, 2500});
  run(other, 4, {1000, 800});
  CHECK(other.winner() == 1);
}

TEST_CASE("fastest candidate: slow candidates are eliminated, the default never") {
  FastestCandidate fastest(3);
  run(fastest, 1, {1000, 4000, 1100});
  CHECK(fastest.size() == 2);
  CHECK(fastest.at(1) == 2);
  CHECK(fastest.at(2) == 0);  // all candidates had their slot
  FastestCandidate slow(2);
  run(slow, 3, {4000, 1000});
  CHECK(slow.size() == 2);
  CHECK(slow.winner() == 1);
}

TEST_CASE("fastest candidate: without a round the default wins") {
  CHECK(FastestCandidate(4).winner() == 0);
  CHECK(FastestCandidate(4).best(0) == -1);
}
