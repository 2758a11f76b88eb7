// MPI: one World in a process.

#include <doctest/doctest.h>

#include <sinter/dist/backend/mpi/mpi.hpp>

#include "../../world.hpp"

using namespace sinter;
using namespace ranks;

TEST_CASE("mpi: it begins once") {
  world();
  CHECK_THROWS_AS(detail::mpi::begin({}, Where()), ValueError);
}

TEST_CASE("mpi: what one message cannot hold is sent in several") {
  world();
  const Tensor x = elements({size(), 1000}), wide = elements({3000});
  const int next = (rank() + 1) % size(), previous = (rank() + size() - 1) % size();
  const auto all_of = [&] {
    dist::send(wide, next);
    return std::vector<Tensor>{dist::all_gather(x, 1),
                               dist::reduce_scatter(x),
                               dist::broadcast(x),
                               dist::all_to_all(x),
                               dist::all_reduce(x),
                               dist::all_reduce(wide),
                               dist::recv({{3000}, f32}, previous)};
  };
  const std::vector<Tensor> expected = all_of();
  const std::size_t before = detail::mpi::largest_message();
  detail::mpi::largest_message() = 1001;
  const std::vector<Tensor> found = all_of();
  detail::mpi::largest_message() = before;
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(difference(found[i], expected[i]) == 0);
}

TEST_CASE("mpi: many small collectives one after the other") {
  Tensor x = ones({4});
  for (int i = 0; i < 200; ++i) x = dist::all_reduce(x, dist::Reduce::mean);
  CHECK(difference(x, ones({4})) < 1e-5);
}
