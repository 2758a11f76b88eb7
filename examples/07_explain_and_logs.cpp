// What sinter did, and why: statistics, the explanation, and logs on standard error.
#include <sinter/sinter.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>

using namespace sinter;

int main() {
  setenv("SINTER_LOGS", "recompiles,guards", 1);  // usually set by the shell
  auto normalize = compile(
      [](const Tensor& x) {
        const Tensor centred = x - mean(x, {-1}, true);
        return centred / (1.0f + sum(abs(centred), {-1}, true));
      },
      {.name = "normalize"});
  normalize(randn({64, 100}));
  normalize(randn({32, 100}));  // another size: recorded again, for every number of rows
  normalize(randn({16, 100}));

  const Stats stats = normalize.stats();
  std::printf("calls %lld, recordings %lld, recompiles %lld\n", static_cast<long long>(stats.calls),
              static_cast<long long>(stats.recordings), static_cast<long long>(stats.recompiles));
  std::printf("the last call: kernels %lld, bytes read %lld, bytes written %lld\n",
              static_cast<long long>(stats.kernels), static_cast<long long>(stats.bytes_read),
              static_cast<long long>(stats.bytes_written));

  const Explanation explanation = normalize.explain();
  for (const GraphInfo& graph : explanation.graphs) {
    std::printf("%lld operations\n%s", static_cast<long long>(graph.operations),
                graph.text.c_str());
  }
  for (const KernelInfo& kernel : explanation.kernels) {
    std::printf("kernel %s, of\n", kernel.name.c_str());
    for (const Where& line : kernel.lines) std::printf("  %s\n", to_string(line).c_str());
  }
  std::printf("as JSON: %zu characters\n", to_json(explanation).size());

  const bool moved_once = stats.bytes_read == 16 * 100 * 4 && stats.bytes_written == 16 * 100 * 4;
  // A second run of this program records once: the disk cache remembers which sizes changed.
  return moved_once && stats.kernels == 1 && stats.recordings <= 2 ? 0 : 1;
}
