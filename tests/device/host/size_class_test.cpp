#include <sinter/device/host/size_class.hpp>

#include <doctest/doctest.h>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("size_class: every size fits its class, and wastes at most a fifth") {
  for (std::size_t bytes = 1; bytes < 100'000'000; bytes += bytes / 7 + 1) {
    const std::size_t capacity = class_bytes(size_class(bytes));
    CHECK(capacity >= bytes);
    CHECK(capacity % storage_alignment == 0);
    CHECK(capacity <= bytes + bytes / 4 + storage_alignment);
    CHECK(size_class(capacity) == size_class(bytes));
    CHECK(size_class(bytes) < size_classes);
    CHECK(class_bytes(last_class_for(size_class(bytes))) <= bytes + bytes / 3 + storage_alignment);
  }
}

TEST_CASE("size_class: of large blocks at most a seventeenth is unused") {
  for (std::size_t bytes = 2'097'153; bytes < 1'000'000'000'000; bytes += bytes / 50) {
    const std::size_t index = size_class(bytes);
    CHECK(class_bytes(index) >= bytes);
    CHECK(class_bytes(index) <= bytes + bytes / 16);
    CHECK(class_bytes(index - 1) < bytes);
    CHECK(index < size_classes);
  }
  CHECK(size_class(std::size_t{1} << 47) < size_classes);
}
