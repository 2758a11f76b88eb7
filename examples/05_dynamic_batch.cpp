// Dynamic batches: one recording, and the same kernels, for every number of rows.
#include <sinter/sinter.hpp>

#include <cmath>
#include <cstdio>

using namespace sinter;

struct Net {
  nn::Linear in{8, 32}, out{32, 4};
  SINTER_MODULE(Net, in, out)

  Tensor forward(const Tensor& x) const { return softmax(out(relu(in(x))), -1); }
};

bool near(const Tensor& found, const Tensor& expected) {
  return static_cast<bool>(all(abs(found - expected) < 1e-5f));
}

int main() {
  const ScopedFreshCache fresh;  // as in the first process: the cache remembers sizes that varied
  Net net;
  bool right = true;

  auto marked = compile(net);
  for (int batch : {7, 64, 1, 3, 128, 2, 33}) {
    Tensor x = randn({batch, 8});
    mark_dynamic(x, 0, {.min = 1, .max = 1024});
    right = right && near(marked(x), net(x));
  }
  std::printf("marked:   %lld variant\n", static_cast<long long>(marked.stats().variants));
  for (const auto& guard : marked.explain().guards) std::printf("  %s\n", guard.c_str());

  // without a mark, the first call with another size makes the dimension dynamic
  auto automatic = compile(net);
  for (int batch : {7, 64, 5, 128, 2, 33}) {
    const Tensor x = randn({batch, 8});
    right = right && near(automatic(x), net(x));
  }
  std::printf("unmarked: %lld variants\n", static_cast<long long>(automatic.stats().variants));
  for (const auto& reason : automatic.explain().recompiles) std::printf("  %s\n", reason.c_str());

  // one recording for each bucket of sizes that occurs; nothing is padded
  auto bucketed = compile(net);
  for (int batch : {7, 64, 5, 33, 2, 128}) {
    const Tensor x = bucket(randn({batch, 8}), 0, {32, 64, 128});
    right = right && near(bucketed(x), net(x));
  }
  std::printf("buckets:  %lld variants\n", static_cast<long long>(bucketed.stats().variants));

  // a size can be used as a number, for every batch size
  auto mean_of = compile([](const Tensor& x) { return sum(x, 0) / x.size(0); });
  for (int batch : {7, 64, 5}) {
    Tensor x = randn({batch, 8});
    mark_dynamic(x, 0);
    right = right && near(mean_of(x), mean(x, 0));
  }

  right = right && marked.stats().recompiles == 0 && automatic.stats().recompiles == 1 &&
          bucketed.stats().variants == 3 && mean_of.stats().variants == 1;
  return right ? 0 : 1;
}
