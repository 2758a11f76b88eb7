// The digits transformer on many processes: mpirun -n 4 example_data_parallel [epochs]

#include <sinter/dist.hpp>
#include <sinter/gpu.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>

#include "digits/data.hpp"
#include "digits/transformer.hpp"

using namespace sinter;
using digits::Transformer;

namespace {

// One step on the rows of this rank; `rows` are those of all ranks. A sum over rows, divided by the
// number of all rows, is right however many of them a rank has.
Tensor train_step(Transformer& model, optim::AdamW& optimizer, const Tensor& images,
                  const Tensor& labels, const Scalar& rows) {
  auto [loss, gradients] = value_and_grad(model, [&] {
    return cross_entropy(model(images), labels, {.reduction = Reduction::sum}) / rows;
  });
  dist::all_reduce(gradients, dist::Reduce::sum);
  optimizer.step(model, gradients);
  return dist::all_reduce(loss);
}

Tensor count_right(const Transformer& model, const Tensor& images, const Tensor& labels) {
  return dist::all_reduce(sum(argmax(model(images), -1) == labels));
}

// Every size()th row, from rank() on.
digits::Batch own_rows(const digits::Images& images, std::span<const std::size_t> rows,
                       const dist::World& world) {
  std::vector<std::size_t> own;
  for (auto i = static_cast<std::size_t>(world.rank()); i < rows.size();
       i += static_cast<std::size_t>(world.size())) {
    own.push_back(rows[i]);
  }
  return digits::make_batch(images, own, true);
}

int train(const dist::World& world, int epochs) {
  const digits::Data data = digits::read_data(SINTER_DATA_DIR "/digits.csv");
  random::manual_seed(0);  // all ranks begin with the same model
  Transformer model;
  optim::AdamW optimizer;
  const auto step = compile(train_step, {.fullgraph = true, .name = "train_step"});
  const auto right = compile(count_right, {.fullgraph = true, .name = "count_right"});
  std::vector<std::size_t> rows = digits::all_rows(data.train);
  const std::size_t size = digits::batch_size;
  const auto steps = static_cast<std::int64_t>((rows.size() + size - 1) / size);
  const optim::CosineRate rate{2e-3f, epochs * steps};
  std::mt19937 random(0);  // and see the images in the same order
  std::int64_t done = 0;
  double accuracy = 0;
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    std::shuffle(rows.begin(), rows.end(), random);
    float loss = 0;
    for (std::size_t start = 0; start < rows.size(); start += size) {
      const std::size_t count = std::min(size, rows.size() - start);
      const auto batch = own_rows(data.train, std::span(rows).subspan(start, count), world);
      optimizer.learning_rate = rate(done++);
      const auto all_rows = Scalar(static_cast<float>(count));
      loss = step(model, optimizer, batch.images, batch.digits, all_rows).item<float>();
    }
    const auto test = own_rows(data.test, digits::all_rows(data.test), world);
    accuracy = right(model, test.images, test.digits).item<double>() /
               static_cast<double>(data.test.size());
    if (world.rank() == 0) {
      std::printf("\repoch %d/%d on %d ranks  loss %.4f  test accuracy %.4f", epoch, epochs,
                  world.size(), static_cast<double>(loss), accuracy);
      std::fflush(stdout);
    }
  }
  if (world.rank() == 0) std::printf("\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const dist::World world;
    const ScopedDevice device(world.device());  // its GPU, if there is one
    return train(world, argc > 1 ? std::atoi(argv[1]) : 45);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
