#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <thread>

#include <sinter/runtime/host/spin_wait.hpp>

using namespace sinter::detail::runtime::detail;

TEST_CASE("spin_wait: returns at once if the value has changed already") {
  const std::atomic<int> value{1};
  CHECK(changes_within(spin_time, value, 0));
  wait_while(value, 0, 2);
}

TEST_CASE("spin_wait: gives up on an unchanged value after a moment") {
  const std::atomic<int> value{1};
  const auto start = std::chrono::steady_clock::now();
  CHECK_FALSE(changes_within(spin_time, value, 1));
  CHECK(std::chrono::steady_clock::now() - start >= spin_time);
}

TEST_CASE("spin_wait: a sleeping thread is woken, and sees earlier writes") {
  for (const int milliseconds : {0, 5, 30}) {
    std::atomic<int> value{0};
    int written = 0;
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      written = 7;
      value.store(1, std::memory_order_release);
      value.notify_all();
    });
    wait_while(value, 0, 2);
    CHECK(written == 7);
    other.join();
  }
}

TEST_CASE("spin_wait: a thread soon sleeps if more are at work than there are processors") {
  std::atomic<int> value{0};
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    value.store(1);
    value.notify_all();
  });
  const std::clock_t start = std::clock();  // the time that this process computes
  wait_while(value, 0, processors() + 1);
  CHECK(std::clock() - start < CLOCKS_PER_SEC / 200);
  other.join();
}
