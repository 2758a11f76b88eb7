// Says what this machine has for compiling and running kernels, and how to mend what is missing;
// ends with 1 if there is a problem. ./examples/doctor builds and runs it.

#include <sinter/sinter.hpp>

int main() {
  const sinter::Doctor seen = sinter::doctor();
  print(seen);
  return seen.ok() ? 0 : 1;
}
