#include <doctest/doctest.h>

#include <sinter/data/prefetch.hpp>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

using sinter::data::detail::BatchMaker;
using sinter::data::detail::Prefetch;

namespace {

// Its batches are their numbers; later ones are made faster than earlier ones.
struct Maker final : BatchMaker {
  explicit Maker(std::size_t capacity) : places(capacity) {}
  void make(std::size_t batch, std::size_t place) override {
    const int now = ++running;
    for (int most = most_running; most < now && !most_running.compare_exchange_weak(most, now);) {
    }
    if (batch % 3 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (batch == failing) {
      --running;
      throw std::runtime_error("no such batch");
    }
    places[place] = batch;
    ++made;
    --running;
  }

  std::vector<std::size_t> places;
  std::size_t failing = 1000;
  std::atomic<int> running{0}, most_running{0}, made{0};
};

}  // namespace

TEST_CASE("Prefetch: batches come in order, whatever the number of threads") {
  for (const std::size_t threads : {0, 1, 4}) {
    Maker maker(3);
    Prefetch prefetch(maker, 50, threads, 3);
    for (std::size_t batch = 0; batch < 50; ++batch) {
      CHECK(maker.places[prefetch.next()] == batch);
    }
    CHECK(maker.made == 50);
  }
}

TEST_CASE("Prefetch: no more batches are ahead than there are places") {
  Maker maker(3);
  Prefetch prefetch(maker, 50, 4, 3);
  const std::size_t place = prefetch.next();
  for (int i = 0; i < 100 && maker.made < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  CHECK(maker.made == 3);
  CHECK(maker.places[place] == 0);  // the batch that is in use keeps its place
}

TEST_CASE("Prefetch: an exception arrives at its batch, and ends the threads") {
  for (const std::size_t threads : {0, 2}) {
    Maker maker(4);
    maker.failing = 5;
    Prefetch prefetch(maker, 50, threads, 4);
    for (std::size_t batch = 0; batch < 5; ++batch) {
      CHECK(maker.places[prefetch.next()] == batch);
    }
    CHECK_THROWS_AS(prefetch.next(), std::runtime_error);
    CHECK(maker.running == 0);
  }
}

TEST_CASE("Prefetch: its destructor waits for the threads") {
  Maker maker(8);
  for (int i = 0; i < 100; ++i) {
    {
      Prefetch prefetch(maker, 100, 3, 8);
      for (int taken = 0; taken < i % 5; ++taken) prefetch.next();
    }
    CHECK(maker.running == 0);
  }
}
