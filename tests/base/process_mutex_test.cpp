#include <doctest/doctest.h>

#include <sinter/base/process_mutex.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

using namespace sinter;
using namespace sinter::detail;

namespace {

// What `body` gives in a child process; false if it does not come to an end.
template <class Body>
bool in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(body() ? 7 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

}  // namespace

TEST_CASE("process_mutex: one thread at a time holds it") {
  ProcessMutex mutex;
  int count = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 1000; ++round) {
        const std::lock_guard lock(mutex);
        ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(count == 4000);
  CHECK(mutex.try_lock());
  mutex.unlock();
}

TEST_CASE("process_mutex: a fork finds all of them free, in parent and child") {
  ProcessMutex outer;
  RecursiveProcessMutex inner;
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      while (!stop) {
        if (i == 2) {
          const auto passing = std::make_unique<ProcessMutex>();
          const std::lock_guard lock(*passing);
        } else {
          const std::lock_guard first(outer);
          const std::lock_guard second(inner), third(inner);
        }
      }
    });
  }
  for (int round = 0; round < 20; ++round) {
    CHECK(in_child([&] {
      const std::scoped_lock both(outer, inner);
      return true;
    }));
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  const std::scoped_lock both(outer, inner);
}

TEST_CASE("process_mutex: a child knows that it is one") {
  const int before = forks();
  CHECK(in_child([&] { return forks() == before + 1; }));
  CHECK(forks() == before);
}
