// expect: sinter::host\(f\)\(args...\) requires tensors, scalars or numbers
#include <sinter/trace/interop/host.hpp>

void note(const std::string& text) {
  sinter::host([](const sinter::Tensor&) {})(text);
}
