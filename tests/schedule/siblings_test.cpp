#include <doctest/doctest.h>
#include <sinter/base/text.hpp>
#include <sinter/schedule/siblings.hpp>

using namespace sinter;
using namespace sinter::schedule;

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

// "0 | 1 2 | 3; " for each batch: before, together, after.
std::string batches_of(const std::vector<Candidate>& kernels, Lists before) {
  Dependences found{before, Lists(kernels.size())};
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    for (const std::size_t other : before[k]) found.after[other].push_back(k);
  }
  std::string result;
  for (const Batch& batch : batches(kernels, found)) {
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
