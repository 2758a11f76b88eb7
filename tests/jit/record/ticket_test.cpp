#include <doctest/doctest.h>

#include <sinter/jit/record/ticket.hpp>

#include <atomic>
#include <thread>
#include <vector>

#include "jit/support.hpp"

using namespace testing;

namespace {

Hash key_of(int number) { return Hasher().add(static_cast<std::uint64_t>(number)).result(); }

}  // namespace

TEST_CASE("ticket: one thread at a time holds a key") {
  jit::Tickets tickets;
  std::atomic<int> inside{0}, most{0}, done{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        const jit::Ticket ticket(tickets, key_of(1));
        most = std::max(most.load(), ++inside);
        --inside, ++done;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(most == 1);
  CHECK(done == 400);
}

TEST_CASE("ticket: other keys do not wait") {
  jit::Tickets tickets;
  const jit::Ticket first(tickets, key_of(1));
  std::thread([&] { const jit::Ticket second(tickets, key_of(2)); }).join();
}

TEST_CASE("ticket: can be released before its object is destroyed") {
  jit::Tickets tickets;
  jit::Ticket first(tickets, key_of(1));
  first.end();
  std::thread([&] { const jit::Ticket second(tickets, key_of(1)); }).join();
  first.end();
}
