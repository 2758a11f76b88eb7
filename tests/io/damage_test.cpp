// Files with bytes changed at random: they are read, or refused; never anything else.

#include <sinter/io/npz.hpp>
#include <sinter/io/safetensors.hpp>

#include <random>

#include "io/support.hpp"
#include "trace/testing.hpp"

using namespace testing;

namespace {

using Generator = std::mt19937;

std::size_t below(Generator& generator, std::size_t bound) {
  return static_cast<std::size_t>(generator()) % bound;
}

// `bytes` with up to four changes: a byte, a number of eight bytes, a part that is gone or doubled.
std::string damaged(std::string bytes, Generator& generator) {
  for (std::size_t changes = 1 + below(generator, 4); changes > 0 && !bytes.empty(); --changes) {
    const std::size_t at = below(generator, bytes.size());
    const std::size_t length = 1 + below(generator, 16);
    switch (below(generator, 4)) {
      case 0:
        bytes[at] = static_cast<char>(generator());
        break;
      case 1:
        bytes.replace(at, 8, std::string(8, generator() % 2 == 0 ? '\xff' : '\0'));
        break;
      case 2:
        bytes.erase(at, length);
        break;
      default:
        bytes.insert(at, bytes.substr(at, length));
    }
  }
  return bytes;
}

// Reads a golden file, damaged in 2000 ways; gives how often it was refused.
template <class Load>
int refusals(const std::string& name, Load load) {
  const Folder folder;
  const std::string bytes = read_bytes(golden(name));
  Generator generator(7);
  int result = 0;
  for (int i = 0; i < 2000; ++i) {
    write_bytes(folder / "a", damaged(bytes, generator));
    try {
      load(folder / "a");
    } catch (const IoError&) {
      ++result;
    }
  }
  return result;
}

// The elements are all there.
void read(const Tensor& x) {
  CHECK(numbers(x).size() == static_cast<std::size_t>(x.numel().number()));
}

void read(const std::map<std::string, Tensor>& tensors) {
  for (const auto& [name, tensor] : tensors) read(tensor);
}

}  // namespace

TEST_CASE("damage: safetensors files are read or refused") {
  const auto load = [](const std::string& path) { read(io::load_tensors(path)); };
  CHECK(refusals("dtypes.safetensors", load) > 1000);
  CHECK(refusals("plain.safetensors", load) > 1000);
}

TEST_CASE("damage: npy files are read or refused") {
  const auto load = [](const std::string& path) { read(io::load_npy(path)); };
  for (const char* name : {"f32.npy", "fortran.npy", "version3.npy"}) {
    const int count = refusals(name, load);
    CHECK(count > 500);
    CHECK(count < 2000);  // elements may be anything
  }
}

TEST_CASE("damage: npz files are read or refused") {
  const auto load = [](const std::string& path) { read(io::load_npz(path)); };
  CHECK(refusals("stored.npz", load) > 1000);
  CHECK(refusals("commented.npz", load) > 500);
}
