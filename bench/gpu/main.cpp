// A GPU against torch's eager mode, torch.compile in three modes and JAX where it is installed, and
// against the bandwidth of a copy on it: by the GPU's clock and by the wall clock.

#include <cstdio>
#include <cstdlib>

#include "peer.hpp"
#include "problems.hpp"
#include "report.hpp"
#include "timer.hpp"

namespace {

using bench::Clock;
using bench::gpu::Problem;

std::string size_text(const bench::gpu::Sizes& sizes) {
  std::string result;
  for (const std::int64_t size : sizes) {
    result += (result.empty() ? "" : "x") + std::to_string(size);
  }
  return result;
}

constexpr double share_of_copy = 0.9;  // that design asks for where memory is what limits

/// The peers. Each is a separate process, and absent if it is not installed.
struct Peers {
  bench::Peer torch{SINTER_BENCH_DIR "/gpu/torch_peer.py"};
  bench::Peer jax{SINTER_BENCH_DIR "/gpu/jax_peer.py"};
};

void measure(const bench::Report& report, Peers& peers, const Problem& problem, Clock clock,
             double bytes_per_second) {
  const std::string name = problem.name + " " + size_text(problem.sizes);
  const std::string row = name + " " + bench::name_of(clock);
  const double least = problem.bytes / bytes_per_second;
  bench::GpuSample sample(problem.make(), clock);
  if (least > 0 && clock == Clock::events) {
    const double seconds = bench::median_of(sample, 9);
    report.add(row, 1, {seconds, least, least / seconds}, "copy", share_of_copy, least);
  }
  constexpr double host_seconds = 6e-6, cold_seconds = 1;  // of a call, and the first
  if (problem.name == "layers" && clock == Clock::host) {
    report.add_bound(row, 1, bench::median_of(sample, 9), host_seconds);
    report.add_bound(name + " cold", 1, bench::gpu::cold_seconds(problem), cold_seconds);
  }
  const std::string by = std::string(bench::name_of(clock)) + " ";
  for (const std::string kind : {"eager", "compile", "reduce-overhead", "max-autotune"}) {
    if (!peers.torch.prepare(by + kind + " " + name, 1)) continue;
    report.add(row, 1, bench::compare(sample, peers.torch, 7), "torch " + kind, 1, least);
  }
  if (peers.jax.prepare(by + "jit " + name, 1)) {
    report.add(row, 1, bench::compare(sample, peers.jax, 7), "jax", 1, least);
  }
  if (least == 0 && std::getenv("SINTER_BENCH_PEERS") == nullptr) {
    report.add(row, 1, {bench::median_of(sample, 9), 0, 0}, "nobody", 0);
  }
}

}  // namespace

int main() {
  const std::string missing = sinter::why_not_runnable(sinter::cuda());
  if (!missing.empty()) {
    std::printf("gpu: no GPU, 0 rows: %s\n", missing.c_str());
    return 0;
  }
  const sinter::ScopedDevice scope(sinter::cuda());
  const bench::Report report("gpu");
  Peers peers;
  const double bytes_per_second = bench::copied_bytes_per_second(std::size_t{1} << 30);
  std::printf("gpu: a copy moves %.0f GB/s\n", bytes_per_second * 1e-9);
  for (const Problem& problem : bench::gpu::all()) {
    for (const Clock clock : {Clock::events, Clock::wall, Clock::host}) {
      if (clock == Clock::host && !problem.many_launches) continue;
      try {
        measure(report, peers, problem, clock, bytes_per_second);
      } catch (const std::exception& error) {  // the others run
        std::printf("gpu: %s: %s\n", problem.name.c_str(), error.what());
        break;
      }
    }
    sinter::release_idle_memory(sinter::cuda());
  }
}
