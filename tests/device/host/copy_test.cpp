#include <doctest/doctest.h>

#include <cstring>

#include <sinter/device/host/copy.hpp>

using namespace sinter;
using namespace sinter::detail;

// Copies from and to GPUs: tests/device/cuda/copy_test.cpp.
TEST_CASE("copy: bytes of the host are copied, also to larger memory") {
  const Storage from = Storage::allocate(5), to = Storage::allocate(8);
  std::memcpy(from.data(), "abcde", 5);
  std::memcpy(to.data(), "12345678", 8);
  copy_bytes(to, from);
  CHECK(std::memcmp(to.data(), "abcde678", 8) == 0);
  copy_bytes(to, Storage::allocate(0));
  CHECK(std::memcmp(to.data(), "abcde678", 8) == 0);
}

TEST_CASE("copy: host bytes are the memory itself, a copy is not") {
  const Storage from = Storage::allocate(5);
  std::memcpy(from.data(), "abcde", 5);
  CHECK(host_bytes(from) == from.data());
  const Storage copy = copied_to(from, cpu());
  CHECK(copy.data() != from.data());
  CHECK(copy.bytes() == 5);
  CHECK(std::memcmp(copy.data(), "abcde", 5) == 0);
}
