// Groups and background jobs.

#include <doctest/doctest.h>

#include <sinter/dist/collective/transport.hpp>

#include "../world.hpp"

using namespace sinter;
using namespace sinter::detail::collective;
using namespace ranks;

namespace {

// Gathers the ranks.
struct Gathers : Job {
  void run(Bytes& bytes) override {
    const std::int64_t mine = rank();
    bytes.all_gather(&mine, list.data(), sizeof(mine));
  }
  std::vector<std::int64_t> list = std::vector<std::int64_t>(static_cast<std::size_t>(size()), -1);
};

}  // namespace

TEST_CASE("transport: the World has a group; another number is an error") {
  const int expected = size();
  CHECK(group(0, "op", Where()).size() == expected);
  CHECK_THROWS_AS(group(50, "op", Where()), ValueError);
}

TEST_CASE("transport: what is started runs in order, before later calls") {
  world();
  Transport& ranks_of_world = group(0, "op", Where());
  detail::Vector<detail::SharedPtr<Gathers>> jobs;
  detail::Vector<std::uint64_t> numbers;
  for (int i = 0; i < 5; ++i) {
    jobs.push_back(detail::make_shared_ptr<Gathers>());
    numbers.push_back(
        ranks_of_world.start({7, "a job", "job", Where()}, detail::SharedPtr<Job>(jobs[i])));
  }
  dist::barrier();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    for (std::size_t k = 0; k < jobs[i]->list.size(); ++k) {
      CHECK(jobs[i]->list[k] == static_cast<std::int64_t>(k));
    }
    ranks_of_world.wait(numbers[i]);
  }
}
