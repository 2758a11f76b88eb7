// Profiling: kernel times against the machine's roof, a timeline, and the fusion log.
#include <sinter/sinter.hpp>

#include <cstdio>
#include <cstdlib>

using namespace sinter;

struct Head {
  nn::LayerNorm norm{256};
  nn::Linear up{256, 1024};
  SINTER_MODULE(Head, norm, up)
  Tensor forward(const Tensor& x) const { return softmax(up(norm(x)), -1); }
};

int main() {
  setenv("SINTER_LOGS", "fusion", 1);  // usually set by the shell
  Head head;
  const auto fast = compile(head);
  const Tensor x = randn({512, 256});

  const auto seen = profile([&] { fast(x); }, {.calls = 20});
  print(seen);
  save_chrome_trace("22_profile.trace.json", seen);  // for chrome://tracing and ui.perfetto.dev
  report(fast, "22_profile.html");                   // for a browser

  std::int64_t runs = 0;
  for (const auto& kernel : seen.kernels) {
    std::printf("%s: %.0f%% of the roof\n", kernel.name.c_str(),
                100 * share_of_roof(kernel, seen.roof));
    runs += kernel.runs;
  }
  const auto kernels = static_cast<std::int64_t>(fast.explain().kernels.size());
  return seen.calls.size() == 20 && runs == 20 * kernels ? 0 : 1;
}
