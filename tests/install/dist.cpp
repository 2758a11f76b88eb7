// A program of one rank, built with an installed sinter::dist.

#include <sinter/dist.hpp>
#include <sinter/sinter.hpp>

using namespace sinter;

int main() {
  const dist::World world;
  const auto total = compile([](const Tensor& x) { return dist::all_reduce(sum(x)); });
  return total(ones({3})).item<float>() == 3.0f * static_cast<float>(world.size()) ? 0 : 1;
}
