#include <doctest/doctest.h>
#include <sinter/base/text.hpp>
#include <sinter/schedule/launch/horizontal.hpp>

#include <random>
#include <set>

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;

namespace {

using Lists = std::vector<std::vector<std::size_t>>;

Candidate candidate(std::uint64_t kind, bool is_small = true) {
  return {.text = Hasher().add(kind).result(), .is_joinable = true, .is_small = is_small};
}

Candidate point(std::uint64_t kind) {
  Candidate result = candidate(kind);
  result.is_alone = true;
  result.work = 1;
  return result;
}

Dependences dependences_of(const Lists& before) {
  Dependences result{before, Lists(before.size())};
  for (std::size_t k = 0; k < before.size(); ++k) {
    for (const std::size_t other : before[k]) result.after[other].push_back(k);
  }
  return result;
}

// "0 | 1 2 | 3; " for each batch: before, together, after.
std::string batches_of(const std::vector<Candidate>& kernels, const Lists& before,
                       std::size_t most_tail = 0) {
  std::string result;
  for (const schedule::Batch& batch : batches(kernels, dependences_of(before), most_tail)) {
    result += text(batch.before, batch.together, batch.after, " ");
  }
  return result;
}

}  // namespace

TEST_CASE("siblings: independent kernels of one text are a batch") {
  CHECK(batches_of({candidate(1), candidate(2), candidate(1)}, Lists(3)) == "[][1][] [][0, 2][] ");
}

TEST_CASE("siblings: kernels that depend on each other are not") {
  CHECK(batches_of({candidate(1), candidate(1), candidate(1)}, {{}, {0}, {1}}) ==
        "[][0][] [][1][] [][2][] ");
}

TEST_CASE("siblings: what nothing depends on waits for the last of its kind") {
  // A chain 0, 2, 4 of which each step has an update: 1, 3, 5.
  const std::vector<Candidate> kernels{candidate(1), candidate(9), candidate(2),
                                       candidate(9), candidate(3), candidate(9)};
  CHECK(batches_of(kernels, {{}, {0}, {0}, {2}, {2}, {4}}) ==
        "[][0][] [][2][] [][4][] [][1, 3, 5][] ");
}

TEST_CASE("siblings: large kernels do not wait for others, unless they are neighbours") {
  const std::vector<Candidate> kernels{candidate(1, false), candidate(1, false), candidate(2),
                                       candidate(1, false)};
  CHECK(batches_of(kernels, Lists(4)) == "[][0, 1][] [][2][] [][3][] ");
}

TEST_CASE("siblings: what one thread does before and after a batch is part of it") {
  const std::vector<Candidate> kernels{point(5), candidate(1), candidate(1), point(6)};
  CHECK(batches_of(kernels, {{}, {0}, {0}, {1, 2}}) == "[0][1, 2][3] ");
}

TEST_CASE("siblings: what one thread does first is part of the launch before which it is needed") {
  CHECK(batches_of({point(5), candidate(1), point(6)}, {{}, {0}, {1}}) == "[0][1][] [][2][] ");
  CHECK(batches_of({candidate(1), point(5), candidate(2)}, {{}, {0}, {1}}) == "[][0][] [1][2][] ");
  CHECK(batches_of({candidate(1), point(5)}, Lists(2)) == "[1][0][] ");
}

TEST_CASE("siblings: what takes long on one thread beside what follows is a launch of its own") {
  const auto of = [](std::int64_t alone, Extent work) {
    std::vector<Candidate> kernels{point(5), candidate(1)};
    kernels[0].work = alone;
    kernels[0].steps = alone * 4;
    kernels[1].work = work;
    kernels[1].steps = work * 4;
    return batches_of(kernels, {{}, {0}});
  };
  CHECK(of(100'000, 1'600'000) == "[0][1][] ");
  CHECK(of(100'000, 1'500'000) == "[][0][] [][1][] ");
  const Extent rows = Extent::symbol(0);
  CHECK(of(100, rows) == "[0][1][] ");
}

TEST_CASE("siblings: it is not iterations that count, but what these take") {
  std::vector<Candidate> kernels{point(5), candidate(1)};
  kernels[0].work = kernels[1].work = 100'000;
  kernels[0].steps = 400'000;
  kernels[1].steps = 6'500'000;
  CHECK(batches_of(kernels, {{}, {0}}) == "[0][1][] ");
  kernels[1].steps = 6'300'000;
  CHECK(batches_of(kernels, {{}, {0}}) == "[][0][] [][1][] ");
}

TEST_CASE("siblings: numbers that follow from numbers are one launch") {
  CHECK(batches_of({point(5), point(6)}, {{}, {0}}) == "[0][1][] ");
}

TEST_CASE("siblings: numbers that others follow from go on with these to where they are needed") {
  CHECK(batches_of({point(5), point(6), candidate(1)}, {{}, {}, {1}}) == "[0, 1][2][] ");
  CHECK(batches_of({point(5), point(6), point(7), candidate(1)}, {{}, {0}, {}, {1, 2}}) ==
        "[0, 1, 2][3][] ");
  std::vector<Candidate> kernels{point(5), point(6), candidate(1)};
  kernels[1].work = kernels[1].steps = 100'000;
  kernels[2].work = kernels[2].steps = 100'000;
  CHECK(batches_of(kernels, {{}, {}, {1}}) == "[0][1][] [][2][] ");
}

TEST_CASE("siblings: data that can be at fault keeps kernels apart") {
  std::vector<Candidate> kernels{candidate(1), candidate(1)};
  kernels[1].is_joinable = false;
  CHECK(batches_of(kernels, Lists(2)) == "[][0][] [][1][] ");
}

TEST_CASE("siblings: what little depends on waits for the last of its kind, if that may be") {
  // A chain 0, 2, 4 of which each step has a sum: 1, 3, 5; 6 reads them all, 7 reads it.
  std::vector<Candidate> kernels{candidate(1), candidate(9), candidate(2), candidate(9),
                                 candidate(3), candidate(9), candidate(4), candidate(5)};
  const Lists before{{}, {0}, {0}, {2}, {2}, {4}, {1, 3, 5}, {6}};
  const char* const apart = "[][0][] [][1][] [][2][] [][3][] [][4][] [][5][] [][6][] [][7][] ";
  const char* const joined = "[][0][] [][2][] [][4][] [][1, 3, 5][] [][6][] [][7][] ";
  CHECK(batches_of(kernels, before) == apart);
  CHECK(batches_of(kernels, before, 1) == apart);
  CHECK(batches_of(kernels, before, 2) == joined);
  CHECK(batches_of(kernels, before, 8) == joined);
  kernels[1].held = kernels[5].held = 2 << 20;
  CHECK(batches_of(kernels, before, 8) == joined);
  kernels[3].held = 1;  // together more than may wait
  CHECK(batches_of(kernels, before, 8) ==
        "[][0][] [][2][] [][1, 3][] [][4][] [][5][] [][6][] [][7][] ");
}

TEST_CASE("siblings: whatever depends on whatever, each kernel runs once, behind what it needs") {
  std::mt19937 engine(7);
  const auto draw = [&](std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(engine);
  };
  std::size_t joined = 0;
  for (int graph = 0; graph < 500; ++graph) {
    const std::size_t count = 2 + draw(30);
    std::vector<Candidate> kernels;
    Lists before(count);
    for (std::size_t k = 0; k < count; ++k) {
      kernels.push_back(draw(8) == 0 ? point(9) : candidate(draw(3), draw(4) != 0));
      for (std::size_t other = 0; other < k; ++other) {
        if (draw(count) < 2) before[k].push_back(other);
      }
    }
    const std::vector<schedule::Batch> found = batches(kernels, dependences_of(before), graph % 9);
    std::set<std::size_t> done;
    for (const schedule::Batch& batch : found) {
      joined += batch.together.size() - 1;
      for (const auto* list : {&batch.before, &batch.together, &batch.after}) {
        for (const std::size_t k : *list) {
          for (const std::size_t other : before[k]) REQUIRE(done.count(other) == 1);
          if (list != &batch.together) done.insert(k);
        }
        done.insert(list->begin(), list->end());
      }
    }
    REQUIRE(done.size() == count);
  }
  CHECK(joined > 500);
}
