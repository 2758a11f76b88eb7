#include <doctest/doctest.h>
#include <sinter/jit/tune/contest.hpp>

using sinter::detail::jit::Contest;

namespace {

// Runs rounds in which each remaining candidate takes the time in `times`.
void run(Contest& contest, int rounds, const std::vector<std::int64_t>& times) {
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t turn = 0; turn < contest.size(); ++turn) {
      contest.note(contest.at(turn), times[contest.at(turn)]);
    }
    contest.end_round();
  }
}

}  // namespace

TEST_CASE("contest: the fastest candidate replaces the default") {
  Contest contest(3);
  run(contest, 5, {1000, 900, 950});
  CHECK(contest.winner() == 1);
  CHECK(contest.best(1) == 900);
}

TEST_CASE("contest: a candidate that is a little faster does not win") {
  Contest contest(2);
  run(contest, 5, {1000, 960});
  CHECK(contest.winner() == 0);
}

TEST_CASE("contest: a candidate that cannot run is dropped, also within a round") {
  Contest contest(3);
  contest.note(contest.at(0), 1000);
  CHECK(contest.at(1) == 1);
  contest.drop(1);
  CHECK(contest.at(1) == 2);
  contest.note(2, 500);
  contest.end_round();
  CHECK(contest.size() == 2);
  run(contest, 3, {1000, 1, 500});
  CHECK(contest.winner() == 2);
  CHECK(contest.best(1) == -1);
}

TEST_CASE("contest: one fast round decides nothing, nor do too few rounds") {
  Contest lucky(2), short_one(2);
  run(lucky, 1, {1000, 500});
  run(lucky, 4, {1000, 1000});
  CHECK(lucky.winner() == 0);
  run(short_one, 2, {1000, 800});
  CHECK(short_one.winner() == 0);
}

TEST_CASE("contest: one slow round of the default or of a candidate decides nothing") {
  Contest contest(2);
  run(contest, 1, {5000, 1000});
  run(contest, 4, {1000, 1000});
  CHECK(contest.winner() == 0);
  Contest other(2);
  run(other, 1, {1000, 2500});
  run(other, 4, {1000, 800});
  CHECK(other.winner() == 1);
}

TEST_CASE("contest: slow candidates are eliminated, the default never") {
  Contest contest(3);
  run(contest, 1, {1000, 4000, 1100});
  CHECK(contest.size() == 2);
  CHECK(contest.at(1) == 2);
  CHECK(contest.at(2) == 0);  // all candidates had their slot
  Contest slow(2);
  run(slow, 3, {4000, 1000});
  CHECK(slow.size() == 2);
  CHECK(slow.winner() == 1);
}

TEST_CASE("contest: without a round the default wins") {
  CHECK(Contest(4).winner() == 0);
  CHECK(Contest(4).best(0) == -1);
}
