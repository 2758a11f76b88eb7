#include <doctest/doctest.h>
#include <sinter/base/text.hpp>
#include <sinter/schedule/launch/horizontal_fusion.hpp>

#include <random>
#include <set>

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;

namespace {

using Lists = Vector<KernelNumbers>;

BatchCandidate make_candidate(std::uint64_t kind, bool is_small = true) {
  return {.text = Hasher().add(kind).result(), .can_batch = true, .is_small = is_small};
}

BatchCandidate point(std::uint64_t kind) {
  BatchCandidate result = make_candidate(kind);
  result.is_serial = true;
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

schedule::Target with_tail(std::size_t longest) {
  schedule::Target result{.batching = schedule::LaunchBatching::equal};
  result.launches.most_batch_tail = longest;
  return result;
}

// "[0][1, 2][3] " for each batch: prologue, parallel, epilogue.
std::string batches_of(const Vector<BatchCandidate>& kernels, const Lists& before,
                       std::size_t max_tail = 0) {
  std::string result;
  const schedule::Target target = with_tail(max_tail);
  for (const schedule::Batch& batch : create_batches(kernels, dependences_of(before), target)) {
    result += text(batch.prologue, batch.parallel, batch.epilogue, " ");
  }
  return result;
}

}  // namespace

TEST_CASE("horizontal fusion: independent kernels of one text are a batch") {
  CHECK(batches_of({make_candidate(1), make_candidate(2), make_candidate(1)}, Lists(3)) ==
        "[][1][] [][0, 2][] ");
}

TEST_CASE("horizontal fusion: kernels that depend on each other are not") {
  CHECK(batches_of({make_candidate(1), make_candidate(1), make_candidate(1)}, {{}, {0}, {1}}) ==
        "[][0][] [][1][] [][2][] ");
}

TEST_CASE("horizontal fusion: kernels without dependents are delayed to the last of their kind") {
  // A chain 0, 2, 4. Each of its kernels has an update: 1, 3, 5.
  const Vector<BatchCandidate> kernels{make_candidate(1), make_candidate(9), make_candidate(2),
                                       make_candidate(9), make_candidate(3), make_candidate(9)};
  CHECK(batches_of(kernels, {{}, {0}, {0}, {2}, {2}, {4}}) ==
        "[][0][] [][2][] [][4][] [][1, 3, 5][] ");
}

TEST_CASE("horizontal fusion: large kernels are not delayed, but neighbours are batched") {
  const Vector<BatchCandidate> kernels{make_candidate(1, false), make_candidate(1, false),
                                       make_candidate(2), make_candidate(1, false)};
  CHECK(batches_of(kernels, Lists(4)) == "[][0, 1][] [][2][] [][3][] ");
}

TEST_CASE("horizontal fusion: serial kernels before and after a batch are part of it") {
  const Vector<BatchCandidate> kernels{point(5), make_candidate(1), make_candidate(1), point(6)};
  CHECK(batches_of(kernels, {{}, {0}, {0}, {1, 2}}) == "[0][1, 2][3] ");
}

TEST_CASE("horizontal fusion: a serial kernel is in the prologue of the launch that needs it") {
  CHECK(batches_of({point(5), make_candidate(1), point(6)}, {{}, {0}, {1}}) == "[0][1][] [][2][] ");
  CHECK(batches_of({make_candidate(1), point(5), make_candidate(2)}, {{}, {0}, {1}}) ==
        "[][0][] [1][2][] ");
  CHECK(batches_of({make_candidate(1), point(5)}, Lists(2)) == "[1][0][] ");
}

TEST_CASE(
    "horizontal fusion: a serial kernel that is long compared with the batch has its own "
    "launch") {
  const auto of = [](std::int64_t alone, Extent work) {
    Vector<BatchCandidate> kernels{point(5), make_candidate(1)};
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

TEST_CASE("horizontal fusion: the cost counts, not the number of iterations") {
  Vector<BatchCandidate> kernels{point(5), make_candidate(1)};
  kernels[0].work = kernels[1].work = 100'000;
  kernels[0].steps = 400'000;
  kernels[1].steps = 6'500'000;
  CHECK(batches_of(kernels, {{}, {0}}) == "[0][1][] ");
  kernels[1].steps = 6'300'000;
  CHECK(batches_of(kernels, {{}, {0}}) == "[][0][] [][1][] ");
}

TEST_CASE("horizontal fusion: scalars that depend on scalars share a launch") {
  CHECK(batches_of({point(5), point(6)}, {{}, {0}}) == "[0][1][] ");
}

TEST_CASE("horizontal fusion: a chain of serial kernels moves to the launch that needs it") {
  CHECK(batches_of({point(5), point(6), make_candidate(1)}, {{}, {}, {1}}) == "[0, 1][2][] ");
  CHECK(batches_of({point(5), point(6), point(7), make_candidate(1)}, {{}, {0}, {}, {1, 2}}) ==
        "[0, 1, 2][3][] ");
  Vector<BatchCandidate> kernels{point(5), point(6), make_candidate(1)};
  kernels[1].work = kernels[1].steps = 100'000;
  kernels[2].work = kernels[2].steps = 100'000;
  CHECK(batches_of(kernels, {{}, {}, {1}}) == "[0][1][] [][2][] ");
}

TEST_CASE("horizontal fusion: kernels with checks are not batched") {
  Vector<BatchCandidate> kernels{make_candidate(1), make_candidate(1)};
  kernels[1].can_batch = false;
  CHECK(batches_of(kernels, Lists(2)) == "[][0][] [][1][] ");
}

TEST_CASE(
    "horizontal fusion: kernels with few dependents are delayed to the last of their kind, if "
    "allowed") {
  // A chain 0, 2, 4. Each of its kernels has a sum: 1, 3, 5; 6 reads them all, 7 reads 6.
  Vector<BatchCandidate> kernels{make_candidate(1), make_candidate(9), make_candidate(2),
                                 make_candidate(9), make_candidate(3), make_candidate(9),
                                 make_candidate(4), make_candidate(5)};
  const Lists before{{}, {0}, {0}, {2}, {2}, {4}, {1, 3, 5}, {6}};
  const char* const apart = "[][0][] [][1][] [][2][] [][3][] [][4][] [][5][] [][6][] [][7][] ";
  const char* const joined = "[][0][] [][2][] [][4][] [][1, 3, 5][] [][6][] [][7][] ";
  CHECK(batches_of(kernels, before) == apart);
  CHECK(batches_of(kernels, before, 1) == apart);
  CHECK(batches_of(kernels, before, 2) == joined);
  CHECK(batches_of(kernels, before, 8) == joined);
  kernels[1].retained_bytes = kernels[5].retained_bytes = 2 << 20;
  CHECK(batches_of(kernels, before, 8) == joined);
  kernels[3].retained_bytes = 1;  // together above the limit
  CHECK(batches_of(kernels, before, 8) ==
        "[][0][] [][2][] [][1, 3][] [][4][] [][5][] [][6][] [][7][] ");
}

TEST_CASE("horizontal fusion: on random graphs each kernel runs once, after its dependences") {
  std::mt19937 engine(7);
  const auto draw = [&](std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(engine);
  };
  std::size_t joined = 0;
  for (int graph = 0; graph < 500; ++graph) {
    const std::size_t count = 2 + draw(30);
    Vector<BatchCandidate> kernels;
    Lists before(count);
    for (std::size_t k = 0; k < count; ++k) {
      kernels.push_back(draw(8) == 0 ? point(9) : make_candidate(draw(3), draw(4) != 0));
      for (std::size_t other = 0; other < k; ++other) {
        if (draw(count) < 2) before[k].push_back(other);
      }
    }
    const Vector<schedule::Batch> found = create_batches(
        kernels, dependences_of(before), with_tail(static_cast<std::size_t>(graph % 9)));
    std::set<std::size_t> done;
    for (const schedule::Batch& batch : found) {
      joined += batch.parallel.size() - 1;
      for (const auto* list : {&batch.prologue, &batch.parallel, &batch.epilogue}) {
        for (const std::size_t k : *list) {
          for (const std::size_t other : before[k]) REQUIRE(done.count(other) == 1);
          if (list != &batch.parallel) done.insert(k);
        }
        done.insert(list->begin(), list->end());
      }
    }
    REQUIRE(done.size() == count);
  }
  CHECK(joined > 500);
}
