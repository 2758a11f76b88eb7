// Options by name, and what a program does when a compiled function is slow, wrong or too large.
#include <sinter/sinter.hpp>

#include <cstdio>
#include <cstdlib>

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

}  // namespace

int main() {
  const bool right = by_name("numerics=strict,threads=2") && mistaken();
  std::puts(right ? "all results are as expected" : "a result is wrong");
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
