// A header-only program without code for GPUs: examples run as ever, and whoever asks for a GPU
// reads why there is none.
#include <sinter/sinter.hpp>
#ifdef SINTER_CUDA
#include <sinter/gpu.hpp>  // which has no code, either
#endif

#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace first_kernel {
#include "../../examples/01_first_kernel.cpp"
}
namespace gradients {
#include "../../examples/03_gradients.cpp"
}
namespace train_step {
#include "../../examples/04_train_step.cpp"
}

namespace {

int failures = 0;

void check(bool holds, const char* what) {
  if (holds) return;
  std::printf("failed: %s\n", what);
  ++failures;
}

// Calls what uses a GPU; prints the error, and checks that it says why there is none and the way
// out.
template <class Call>
void check_refused(const char* what, const Call& call) {
  std::string message;
  try {
    call();
  } catch (const sinter::UserError& error) {
    message = error.what();
  }
  std::printf("%s\n", message.c_str());
  const bool says_why = message.find("built without code for GPUs") != message.npos;
  const bool says_what_to_do =
      message.find("use cpu(), or include <sinter/gpu.hpp>") != message.npos;
  const bool names_the_line = message.find("without_gpus.cpp:") != message.npos;
  check(says_why && says_what_to_do && names_the_line, what);
}

void check_errors() {
  using namespace sinter;
  const Tensor x = randn({4});
  nn::Linear layer{4, 2};
  check(cuda_device_count() == 0, "there are no GPUs");
  check(!why_not_runnable(cuda()).empty(), "nothing runs on one");
  check_refused("x.to", [&] { return x.to(cuda()); });
  check_refused("nn::to", [&] { nn::to(layer, cuda()); });
  check_refused("ScopedDevice", [] { const ScopedDevice scope(cuda()); });
  check_refused("require_runnable", [] { require_runnable(cuda()); });
  check_refused("synchronize", [] { synchronize(cuda()); });
  check_refused("memory_stats", [] { return memory_stats(cuda()); });
}

}  // namespace

int main() {
  check(first_kernel::main() == 0, "the first example");
  check(gradients::main() == 0, "the example of gradients");
  check(train_step::main() == 0, "the example of a training step");
  check_errors();
  return failures;
}
