// Options by name, and what a program does when a compiled function is slow, wrong or too large.
#include <sinter/backend.hpp>
#include <sinter/sinter.hpp>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

using namespace sinter;

namespace {

Tensor gated(const Tensor& x) { return tanh(x) * sigmoid(x) + x; }

bool agree(const Tensor& a, const Tensor& b) { return static_cast<bool>(all(abs(a - b) < 1e-5f)); }

// Options that come from a command line or a file.
bool by_name(const char* given) {
  const auto f = compile(gated, parse_options(given, {.name = "gated"}));
  const Tensor x = randn({64});
  return agree(f(x), gated(x));
}

// A mistake in a name is an error that lists the names.
bool mistaken() {
  try {
    by_name("fulgraph=1");
    return false;
  } catch (const ValueError& error) {
    std::printf("%s\n\n", error.what());
    return true;
  }
}

// A function that is called with many signatures keeps the two that it used last.
bool evicting() {
  const auto f = compile(
      gated, {.dynamic = Dynamic::off, .recompile_limit = 2, .name = "gated", .evict = true});
  bool right = true;
  for (const int size : {2, 3, 4, 3, 4, 5})
    right = right && agree(f(ones({size})), gated(ones({size})));
  const Stats stats = f.stats();
  std::printf("%lld calls, %lld evictions, %lld interpreted\n\n",
              static_cast<long long>(stats.calls), static_cast<long long>(stats.evictions),
              static_cast<long long>(stats.eager_calls));
  return right && stats.variants == 2 && stats.evictions == 2 && stats.eager_calls == 0;
}

// The same function with tanh interpreted: if this mends a result, its kernel is wrong.
bool interpreting() {
  const auto f = compile(gated, {.interpret = "tanh"});
  const Tensor x = randn({64});
  bool right = agree(f(x), gated(x));
  for (const KernelInfo& kernel : f.explain().kernels) {
    right = right && kernel.source.find("tanh") == std::string::npos;
  }
  return right;
}

// A backend that counts operations, and lets the interpreter compute them.
std::map<std::string, int> counts;

GraphFunction count_operations(const GraphView& graph) {
  for (const GraphNode& node : graph.nodes) ++counts[node.op];
  return [graph](std::span<const Tensor> inputs) { return graph.interpret(inputs); };
}

bool counting() {
  const auto f = compile(gated, {.custom_backend = register_backend("counting", count_operations)});
  const Tensor x = randn({64});
  const bool right = agree(f(x), gated(x)) && agree(f(x), gated(x));
  for (const auto& [op, count] : counts) std::printf("%s: %d\n", op.c_str(), count);
  return right && counts["tanh"] == 1;
}

// A call that needs more memory than its budget is an error before it runs.
bool budgeting() {
  const auto f = compile(gated, {.name = "gated", .memory_bytes = 1000});
  if (!agree(f(ones({100})), gated(ones({100})))) return false;
  try {
    f(ones({200}));
    return false;
  } catch (const ValueError& error) {
    std::printf("%s\n\n", error.what());
    return true;
  }
}

// The parts of a function by their cost.
bool ranking() {
  const auto f =
      compile([](const Tensor& x, const Tensor& w) { return sum(matmul(x, w)) + sum(x); });
  f(ones({64, 64}), ones({64, 64}));
  const Explanation seen = f.explain();
  for (const RegionInfo& region : seen.regions) {
    std::printf("%3.0f %%  %s: %lld flops, %lld bytes\n", 100 * region.share, region.name.c_str(),
                static_cast<long long>(region.flops), static_cast<long long>(region.bytes));
  }
  return !seen.regions.empty() && seen.regions[0].flops >= 2 * 64 * 64 * 64;
}

// After reset() the next call is like the first.
bool starting_anew() {
  const auto f = compile(gated);
  f(ones({2}));
  reset();
  return f.stats().variants == 0 && agree(f(ones({2})), gated(ones({2}))) &&
         f.stats().recordings == 2;
}

}  // namespace

int main() {
  const bool right = by_name("numerics=strict,threads=2") && mistaken() && evicting() &&
                     interpreting() && counting() && budgeting() && ranking() && starting_anew();
  std::puts(right ? "all results are as expected" : "a result is wrong");
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
