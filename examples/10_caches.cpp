// Caches: kernels are compiled once, kept in memory and on disk, and can be exported to a file.
#include <sinter/sinter.hpp>

#include <cstdio>
#include <string>

using namespace sinter;

Tensor swish(const Tensor& x) { return x / (1.0f + exp(-1.5f * x)); }

// Compiles and runs `swish`, and prints where its kernel came from.
Stats run(const char* label) {
  auto compiled = compile(swish);
  compiled(randn({1000}));
  const Stats stats = compiled.stats();
  std::printf("%-22s compiler %lld, from disk %lld, %6.1f ms\n", label,
              static_cast<long long>(stats.compiler_runs), static_cast<long long>(stats.disk_hits),
              1e3 * stats.compile_seconds);
  return stats;
}

int main() {
  const std::string file = "10_caches.sinter";
  bool right = true;
  {
    const ScopedFreshCache fresh;  // a separate empty cache, so that this is a first run
    right = right && run("first").compiler_runs == 1;
    right = right && run("again").compiler_runs == 0;
    reset();  // clears the caches in memory
    right = right && run("from disk").disk_hits == 1;
    save_cache(file);
  }
  {
    const ScopedFreshCache fresh;
    load_cache(file);  // on another machine of the same kind: no compiler is needed
    right = right && run("from a file").compiler_runs == 0;
  }
  std::remove(file.c_str());
  return right ? 0 : 1;
}
