// Any bytes as a file of every format: reading gives tensors or throws IoError.
// Built with clang++ -fsanitize=fuzzer,address,undefined; tests/data/io has files to start from.

#include <sys/mman.h>
#include <unistd.h>

#include <sinter/io/checkpoint.hpp>
#include <sinter/io/npz.hpp>
#include <sinter/trace/ops/creation/create.hpp>

#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>

using namespace sinter;
using namespace sinter::detail;

namespace {

// Reads every element, so that the sanitizers see those that are not there.
void read(const Tensor& x) {
  if (!x.lazy()->evaluated()) return;  // a transpose, or zeros: nothing was read
  const Storage& elements = elements_of(x);
  if (elements.bytes() < io::bytes_of(x.type())) std::abort();
  const auto* const bytes = static_cast<const unsigned char*>(elements.data());
  if (std::accumulate(bytes, bytes + elements.bytes(), -1L) < -1) std::abort();
}

void read(const std::map<std::string, Tensor>& tensors) {
  for (const auto& [name, tensor] : tensors) read(tensor);
}

struct Module {
  Tensor weight = zeros({2, 3});
  std::map<std::string, Tensor> moments{};
  SINTER_MODULE(Module, weight, moments)
};

// A module of what the file has, or none.
void load_module(const std::string& path) {
  Module module;
  try {
    io::load(path, module);
  } catch (const ShapeError&) {
  } catch (const DTypeError&) {
  }
  read(module.weight);
  read(module.moments);
}

template <class Read>
void refuses_or(Read body) {
  try {
    body();
  } catch (const IoError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = memfd_create("fuzz", MFD_CLOEXEC);
  static const std::string path = text("/proc/self/fd/", file);
  if (ftruncate(file, 0) != 0) return 0;
  if (pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) return 0;
  refuses_or([] { read(io::load_tensors(path)); });
  refuses_or([] { read(io::load_npy(path)); });
  refuses_or([] { read(io::load_npz(path)); });
  refuses_or([] { load_module(path); });
  return 0;
}
