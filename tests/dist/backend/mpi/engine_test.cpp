// The engine: calls from several threads, one at a time.

#include <doctest/doctest.h>

#include <thread>

#include <sinter/dist/backend/mpi/engine.hpp>

#include "../../world.hpp"

using namespace sinter;
using namespace sinter::detail::collective;
using namespace ranks;

namespace {

struct Nothing : Job {
  void run(Bytes&) override {}
};

}  // namespace

TEST_CASE("engine: what one thread starts, another may wait for") {
  world();
  Transport& whole = group(0, "op", Where());
  for (int i = 0; i < 20; ++i) {
    const auto number =
        whole.start({1, "nothing", "nothing", Where()}, detail::make_shared_ptr<Nothing>());
    std::thread([&] { whole.wait(number); }).join();
  }
  CHECK(dist::all_reduce(1.0f).item<float>() == static_cast<float>(size()));
}

TEST_CASE("engine: a rank that is slow is waited for") {
  if (rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  dist::barrier();  // others ask in between, and it answers
  CHECK(dist::all_reduce(1.0f).item<float>() == static_cast<float>(size()));
}

TEST_CASE("engine: two threads in collectives at once are an error, and nothing is lost") {
  world();
  Transport& whole = group(0, "op", Where());
  std::string error;
  whole.run({1, "the first", "dist::first", Where()}, [&](Bytes&) {
    std::thread([&] {
      try {
        dist::all_reduce(1.0f).item<float>();
      } catch (const ValueError& caught) {
        error = caught.what();
      }
    }).join();
  });
  CHECK(error.find("another thread is running a collective") != std::string::npos);
  CHECK(error.find("engine_test.cpp") != std::string::npos);
  CHECK(dist::all_reduce(1.0f).item<float>() == static_cast<float>(size()));
}
