// test: deep emulator gpu
// The networks of the digits example, trained for some steps on a GPU, against the eager backend of
// the host.

#include <doctest/doctest.h>
#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/sinter.hpp>

#include <numeric>
#include <string>
#include <vector>

#include "../examples/digits/model.hpp"
#include "../examples/digits/transformer.hpp"
#include "cuda_emulator/gpus.hpp"
#include "gpu.hpp"

using namespace gpu;
using digits::Training;

namespace {

// The losses of two batches of different sizes.
template <class Model>
std::vector<double> trained(Training<Model>& training, const digits::Images& images) {
  std::vector<std::size_t> rows(images.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::size_t first = 0;
  for (const std::size_t count : {2u, 1u}) {
    const auto batch = std::span<const std::size_t>(rows).subspan(first, count);
    training.train_batch(digits::make_batch(images, batch, true));
    first += count;
  }
  return {training.losses().begin(), training.losses().end()};
}

template <class Model>
void check_training() {
  const std::string path = std::string(SINTER_SOURCE_DIR) + "/examples/data/digits.csv";
  const digits::Images images = digits::first_images(digits::read_data(path).train, 3);
  Training<Model> host({.seed = 3, .backend = Backend::eager});
  const std::vector<double> expected = trained(host, images);

  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  const ScopedDevice scope(cuda());
  Training<Model> training({.seed = 3});
  CHECK(difference(trained(training, images), expected) < 1e-4);
  CHECK(training.stats().recordings == 1);
  CHECK(training.stats().recompiles == 0);
  CHECK(machine.launches() >= 2 * static_cast<std::size_t>(training.stats().kernels));
}

}  // namespace

TEST_CASE("gpu digits: the linear layers are trained as on the host") {
  check_training<digits::Network>();
}

TEST_CASE("gpu digits: the transformer is trained as on the host") {
  check_training<digits::Transformer>();
}
