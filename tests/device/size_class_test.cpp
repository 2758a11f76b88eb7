#include <sinter/device/size_class.hpp>

#include <doctest/doctest.h>

using namespace sinter;

TEST_CASE("size_class: every size fits its class, and wastes at most a fifth") {
  for (std::size_t bytes = 1; bytes < 100'000'000; bytes += bytes / 7 + 1) {
    const std::size_t capacity = class_bytes(size_class(bytes));
    CHECK(capacity >= bytes);
    CHECK(capacity % storage_alignment == 0);
    CHECK(capacity <= bytes + bytes / 4 + storage_alignment);
    CHECK(size_class(capacity) == size_class(bytes));
    CHECK(size_class(bytes) < size_classes);
  }
}
