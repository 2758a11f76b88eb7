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

TEST_CASE("mpi: many small collectives one after the other") {
  Tensor x = ones({4});
  for (int i = 0; i < 200; ++i) x = dist::all_reduce(x, dist::Reduce::mean);
  CHECK(difference(x, ones({4})) < 1e-5);
}
