// An epoch of training 64-128-128-10 on the handwritten digits: batches of 64 images, the last one
// smaller; each step is forward, loss, backward and AdamW.

#include <sinter/runtime/host/thread_pool.hpp>
#include <sinter/sinter.hpp>

#include <fstream>
#include <sstream>

#include "measure.hpp"
#include "peer.hpp"
#include "report.hpp"

using sinter::Tensor;

struct Network {
  sinter::nn::Linear first{64, 128}, second{128, 128}, last{128, 10};
  SINTER_MODULE(Network, first, second, last)
  Tensor forward(const Tensor& x) const { return last(gelu(second(gelu(first(x))))); }
};

namespace {

Tensor train_step(Network& network, sinter::optim::AdamW& optimizer, const Tensor& images,
                  const Tensor& digits) {
  auto [loss, gradients] =
      sinter::value_and_grad(network, [&] { return cross_entropy(network(images), digits); });
  optimizer.step(network, gradients);
  return loss;
}

struct Batch {
  Tensor images, digits;
};

Batch make_batch(const std::vector<float>& pixels, const std::vector<std::int64_t>& digits) {
  const auto count = static_cast<std::int64_t>(digits.size());
  Batch batch{sinter::from_vector(pixels, {count, 64}), sinter::from_vector(digits, {count})};
  mark_dynamic(batch.images, 0, {.min = 1});
  mark_dynamic(batch.digits, 0, {.min = 1});
  return batch;
}

// The images whose row is not divisible by 5: 64 pixels from 0 to 16, then the digit.
std::vector<Batch> read_batches() {
  std::ifstream file(SINTER_DATA_DIR "/digits.csv");
  std::vector<Batch> result;
  std::vector<float> pixels;
  std::vector<std::int64_t> digits;
  std::string line, field;
  for (int row = 0; std::getline(file, line); ++row) {
    if (row % 5 == 0) continue;
    std::istringstream fields(line);
    for (int i = 0; i < 64 && std::getline(fields, field, ','); ++i) {
      pixels.push_back(std::strtof(field.c_str(), nullptr) / 16);
    }
    std::getline(fields, field);
    digits.push_back(std::atoi(field.c_str()));
    if (digits.size() < 64) continue;
    result.push_back(make_batch(pixels, digits));
    pixels.clear(), digits.clear();
  }
  if (!digits.empty()) result.push_back(make_batch(pixels, digits));
  return result;
}

// Returns the seconds of an epoch; each epoch continues the training of the last.
auto epochs(sinter::Backend backend, const std::vector<Batch>& batches) {
  auto step = sinter::compile(train_step, {.backend = backend});
  return [step, &batches, network = Network(),
          optimizer = sinter::optim::AdamW{.learning_rate = 5e-3f}]() mutable {
    return bench::seconds([&] {
      for (const Batch& batch : batches) {
        bench::keep(step(network, optimizer, batch.images, batch.digits).item<float>());
      }
    });
  };
}

}  // namespace

int main() {
  const bench::Report report("digits");
  bench::Peer peer(SINTER_BENCH_DIR "/digits/torch_peer.py");
  const std::vector<Batch> batches = read_batches();
  if (batches.empty()) return 1;
  for (const int threads : {1, sinter::detail::runtime::num_threads()}) {
    sinter::set_num_threads(threads);
    auto fused = epochs(sinter::Backend::fused, batches);
    auto eager = epochs(sinter::Backend::eager, batches);
    fused(), eager();
    report.add("an epoch", threads, bench::compare(fused, eager, 5), "sinter eager", 1);
    for (const std::string kind : {"eager", "compile"}) {
      if (!peer.prepare(kind, threads)) continue;
      report.add("an epoch", threads, bench::compare(fused, peer), "torch " + kind, 1);
    }
    sinter::set_num_threads(0);
  }
}
