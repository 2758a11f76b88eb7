// When a result is wrong: the operation that makes NaN, by check and by bisection, and a small
// program that shows it.
#include <sinter/sinter.hpp>

#include <cstdio>
#include <string>

using namespace sinter;

// A loss whose logarithm meets a zero.
Tensor loss(const Tensor& x, const Tensor& target) {
  const Tensor share = relu(x) / (sum(relu(x), -1, true) + 1);
  return mean(-target * log(share));
}

int main() {
  const auto fast = compile(loss);
  const Tensor x = from_vector<float>({2, -1, 3, 1}, {2, 2}), target = ones({2, 2});

  std::string error;
  try {
    const ScopedNumericsCheck check;  // or SINTER_CHECK=nan in the environment
    fast(x, target);
  } catch (const ValueError& found) {
    error = found.what();
    std::printf("%s\n\n", found.what());
  }

  const Bisection found = bisect(fast, x, target);
  print(found);

  minify(fast, x, target, "26_fault.cpp");  // a program of one operation that fails alone

  const bool says_log = found.found && found.stage == "numerics" && found.operation == "log";
  return says_log && error.find("log") != std::string::npos ? 0 : 1;
}
