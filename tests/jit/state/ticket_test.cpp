#include <doctest/doctest.h>

#include <sinter/jit/state/ticket.hpp>

#include <atomic>
#include <thread>
#include <vector>

#include "jit/support.hpp"

using namespace testing;

namespace {

Hash key_of(int number) { return Hasher().add(static_cast<std::uint64_t>(number)).result(); }

}  // namespace

TEST_CASE("turns: one thread at a time has a key") {
  jit::Turns turns;
  std::atomic<int> inside{0}, most{0}, done{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        const jit::Turn turn(turns, key_of(1));
        most = std::max(most.load(), ++inside);
        --inside, ++done;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(most == 1);
  CHECK(done == 400);
}

TEST_CASE("turns: other keys do not wait") {
  jit::Turns turns;
  const jit::Turn first(turns, key_of(1));
  std::thread([&] { const jit::Turn second(turns, key_of(2)); }).join();
}

TEST_CASE("turns: a turn can end before its object does") {
  jit::Turns turns;
  jit::Turn first(turns, key_of(1));
  first.end();
  std::thread([&] { const jit::Turn second(turns, key_of(1)); }).join();
  first.end();
}
