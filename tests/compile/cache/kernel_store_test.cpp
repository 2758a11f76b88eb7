#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/compile/cache/kernel_store.hpp>
#include <sinter/compile/unit/temporary_file.hpp>

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::compiler;

namespace {

Hash key(std::uint64_t number) { return {number, number}; }

// Cubins need no loader, so any bytes will do.
SharedPtr<const CacheEntry> entry(Vector<Hash> keys, const std::string& payload) {
  return make_shared_ptr<const CacheEntry>(CacheEntry{"environment", std::move(keys), payload});
}

Hash full(std::uint64_t number) { return full_key("environment", key(number)); }

}  // namespace

TEST_CASE("kernel_store: an entry gives each of its kernels") {
  KernelStore store;
  const auto payload = to_payload({{key(1), "add"}, {key(2), "mul"}}, "bytes\nof a cubin");

  REQUIRE(store.add(entry({key(1), key(2)}, payload), Language::cuda));

  const auto kernels = store.wait_for({full(2), full(1)});
  REQUIRE(kernels);
  CHECK(kernels->at(0).symbol == "mul");
  CHECK(kernels->at(1).symbol == "add");
  CHECK(kernels->at(0).binary->bytes() == "bytes\nof a cubin");
  CHECK_FALSE(store.wait_for({full(1), full(3)}));
  CHECK(store.entries().size() == 1);
}

TEST_CASE("kernel_store: an entry without the names it should have is refused") {
  KernelStore store;
  CHECK_FALSE(store.add(entry({key(1), key(2)}, "add\nbytes"), Language::cuda));
  CHECK_FALSE(store.contains(full(1)));
}

TEST_CASE("kernel_store: a key is claimed once, until it is released") {
  KernelStore store;
  const Vector<Hash> keys{full(1), full(1), full(2)};

  const auto mine = store.claim(keys);
  CHECK(mine == Vector<std::size_t>{0, 2});
  CHECK(store.claim(keys).empty());
  store.release(keys, mine);
  CHECK(store.claim(keys) == mine);
}

TEST_CASE("kernel_store: others wait for what is being loaded") {
  KernelStore store;
  const Vector<Hash> keys{full(1)};
  const auto mine = store.claim(keys);
  std::atomic<bool> got = false;
  std::thread other([&] { got = store.wait_for(keys).has_value(); });

  store.add(entry({key(1)}, "add\nbytes"), Language::cuda);
  store.release(keys, mine);
  other.join();

  CHECK(got);
}

TEST_CASE("kernel_store: a forked child does not wait for the threads of its parent") {
  KernelStore& store = KernelStore::instance();
  const Vector<Hash> keys{full(77)};
  const auto mine = store.claim(keys);
  std::thread waiting([&] { store.wait_for(keys); });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));

  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    const bool free = store.claim(keys).size() == 1;
    store.release(keys, {0});
    _exit(free && !store.wait_for(keys) ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  store.release(keys, mine);
  waiting.join();

  CHECK(status == 0);
}

TEST_CASE("kernel_store: its content can be swapped out and back") {
  KernelStore store;
  store.add(entry({key(1)}, "add\nbytes"), Language::cuda);
  store.set_directory("/somewhere");

  auto before = store.exchange({});
  CHECK_FALSE(store.contains(full(1)));
  CHECK(store.set_directory("") == "");
  store.exchange(std::move(before));

  CHECK(store.contains(full(1)));
  CHECK(store.disk()->directory() == "/somewhere");
  store.forget();
  CHECK_FALSE(store.contains(full(1)));
}

TEST_CASE("kernel_store: work is added up") {
  KernelStore store;
  store.count({.compiler_runs = 1, .kernels_compiled = 2, .disk_hits = 3, .seconds = 0.5});
  store.count({.compiler_runs = 1, .kernels_compiled = 2, .disk_hits = 3, .seconds = 0.5});
  CHECK(store.total().compiler_runs == 2);
  CHECK(store.total().kernels_compiled == 4);
  CHECK(store.total().disk_hits == 6);
  CHECK(store.total().seconds == 1.0);
}
