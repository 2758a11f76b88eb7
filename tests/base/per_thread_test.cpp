#include <sinter/base/per_thread.hpp>

#include <doctest/doctest.h>

#include <thread>

using sinter::detail::per_thread;

namespace {

int alive = 0, seen_late = 0;

struct Counted {
  Counted() { ++alive; }
  ~Counted() { --alive; }
  int uses = 0;
};

// Ends after the Counted of its thread, which is made earlier.
struct Late {
  ~Late() {
    seen_late = alive;
    per_thread<Counted>().uses += 1;
    seen_late += 10 * per_thread<Counted>().uses;
  }
};

}  // namespace

TEST_CASE("per_thread: is one object for each thread, and ends with it") {
  int in_other = 0;
  per_thread<Counted>().uses = 3;
  std::thread([&] { in_other = per_thread<Counted>().uses++; }).join();
  CHECK(in_other == 0);
  CHECK(per_thread<Counted>().uses == 3);
  CHECK(alive == 1);
}

TEST_CASE("per_thread: is there for thread_local objects, whenever they were made") {
  std::thread([] {
    static thread_local Late late;
    [[maybe_unused]] const Late* const begun = &late;
    per_thread<Counted>().uses = 5;
  }).join();
  CHECK(seen_late % 10 == alive + 1);
  CHECK(seen_late / 10 == 6);
}

TEST_CASE("per_thread: is there for destructors that run after its own") {
  std::thread([] {
    per_thread<Counted>().uses = 5;
    per_thread<Late>();
  }).join();
  CHECK(seen_late % 10 == alive);  // the first one has ended; so does the other that is made
  CHECK(seen_late / 10 == 1);
}
