#include <cstdint>

#include <doctest/doctest.h>
#include <sinter/device/host/packed_weight_cache.hpp>

using sinter::detail::Hash;
using sinter::detail::packed_weight_stats;
using sinter::detail::PackedWeight;
using sinter::detail::Storage;

namespace {

constexpr std::size_t size = 128;

// Requests a packed weight, and fills it if it is new; true if an earlier call has filled it.
bool ask(const Storage& source, const Hash& key, bool fills = true) {
  const PackedWeight derived(source, key, size);
  auto* const head = static_cast<std::int64_t*>(derived.data());
  if (head == nullptr) return false;
  const bool was_filled = *head != 0;
  if (fills) head[1] = 1;
  return was_filled;
}

}  // namespace

TEST_CASE("packed_weight_cache: a weight is cached from the third request until its bytes change") {
  const Storage source = Storage::allocate(64);
  const Hash key{1, 2};
  const auto before = packed_weight_stats();
  CHECK_FALSE(ask(source, key));
  CHECK_FALSE(ask(source, key));
  CHECK_FALSE(ask(source, key));  // fills it
  CHECK(ask(source, key));
  CHECK(packed_weight_stats().filled == before.filled + 1);
  CHECK(packed_weight_stats().bytes >= before.bytes + static_cast<std::int64_t>(size));
  source.drop_attachments();
  CHECK(packed_weight_stats().bytes == before.bytes);
  CHECK_FALSE(ask(source, key));
}

TEST_CASE("packed_weight_cache: the threads of a call agree on whether to fill the entry") {
  const Storage source = Storage::allocate(64);
  const Hash key{1, 2};
  ask(source, key), ask(source, key);
  {
    const PackedWeight derived(source, key, size);
    auto* const head = static_cast<std::int64_t*>(derived.data());
    REQUIRE(head != nullptr);
    head[1] = 1;          // by the one that filled it
    CHECK(head[0] == 0);  // seen by another one, which is late
  }
  CHECK(ask(source, key));
}

TEST_CASE("packed_weight_cache: an entry is freed with its weight") {
  const auto before = packed_weight_stats();
  {
    const Storage source = Storage::allocate(64), copy = source;
    for (int i = 0; i < 3; ++i) ask(source, Hash{1, 2});
    CHECK(ask(copy, Hash{1, 2}));
    CHECK_FALSE(ask(source, Hash{1, 3}));
  }
  CHECK(packed_weight_stats().bytes == before.bytes);
}

TEST_CASE("packed_weight_cache: borrowed weights and unfilled entries are not cached") {
  const auto before = packed_weight_stats();
  std::int64_t outside[8] = {};
  const Storage borrowed = Storage::borrow(outside, sizeof outside);
  const Storage source = Storage::allocate(64);
  for (int i = 0; i < 5; ++i) CHECK_FALSE(ask(borrowed, Hash{1, 2}));
  for (int i = 0; i < 7; ++i) CHECK_FALSE(ask(source, Hash{1, 2}, false));
  CHECK(packed_weight_stats().bytes == before.bytes);
  CHECK(packed_weight_stats().filled == before.filled);
}

TEST_CASE("packed_weight_cache: a later call fills an entry that one left unfilled") {
  const Storage source = Storage::allocate(64);
  const Hash key{1, 2};
  for (int i = 0; i < 3; ++i) CHECK_FALSE(ask(source, key, false));
  for (int i = 0; i < 3; ++i) CHECK_FALSE(ask(source, key));
  CHECK(ask(source, key));
}
