// test: moved
// Meshes: groups along named dimensions.

#include <doctest/doctest.h>

#include "../../message_of.hpp"
#include "../world.hpp"

using namespace sinter;
using namespace ranks;

TEST_CASE("mesh: collectives over one dimension") {
  const int inner = size() % 2 == 0 ? 2 : 1;
  world();
  const dist::Mesh mesh{{"data", -1}, {"model", inner}};
  CHECK(mesh.size("data") == size() / inner);
  CHECK(mesh.size("model") == inner);
  CHECK(mesh.rank("data") == rank() / inner);
  CHECK(mesh.rank("model") == rank() % inner);
  const auto sum = [&](std::string_view name) {
    return dist::all_reduce(full({}, number()), dist::Reduce::sum, mesh[name]).item<float>();
  };
  float along_model = 0, along_data = 0;
  for (int other = 0; other < size(); ++other) {
    if (other / inner == rank() / inner) along_model += static_cast<float>(other);
    if (other % inner == rank() % inner) along_data += static_cast<float>(other);
  }
  CHECK(sum("model") == along_model);
  CHECK(sum("data") == along_data);
  const Tensor gathered = dist::all_gather(full({1}, number()), 0, mesh["data"]);
  for (int i = 0; i < mesh.size("data"); ++i) {
    CHECK(gathered.to_vector<float>()[static_cast<std::size_t>(i)] ==
          static_cast<float>(i * inner + rank() % inner));
  }
}

TEST_CASE("mesh: compiled functions use the groups that they were given") {
  world();
  const dist::Mesh mesh{{"data", 1}, {"model", size()}};
  const auto run = compile([&mesh](const Tensor& x) {
    return dist::all_reduce(x, dist::Reduce::sum, mesh["data"]) +
           dist::all_reduce(x, dist::Reduce::max, mesh["model"]);
  });
  const Tensor x = full({3}, number());
  for (int i = 0; i < 2; ++i) {
    CHECK(run(x).to_vector<float>()[2] == number() + static_cast<float>(size() - 1));
  }
}

TEST_CASE("mesh: one that does not fit the ranks, and other names, are refused") {
  world();
  using errors::message_of;
  const auto make = [](std::initializer_list<dist::MeshDim> dims) {
    return message_of<ValueError>([&] { dist::Mesh mesh(dims); });
  };
  CHECK(make({{"data", size() + 1}}).find("invalid size") != std::string::npos);
  CHECK(make({{"data", 0}, {"model", -1}}).find("invalid size") != std::string::npos);
  CHECK(make({{"data", -1}, {"model", -1}}).find("invalid size") != std::string::npos);
  CHECK(make({{"data", 1}, {"data", size()}}).find("the same name") != std::string::npos);
  if (size() > 1) {
    CHECK(make({{"data", 1}}).find("is not the number of ranks") != std::string::npos);
  }
  if (size() == 3) {
    CHECK(make({{"data", 2}, {"model", -1}}).find("{\"data\", 2}") != std::string::npos);
  }
  const dist::Mesh mesh{{"data", size()}};
  const auto other = message_of<ValueError>([&] { mesh.group("model"); });
  CHECK(other.find("no dimension of this name") != std::string::npos);
}
