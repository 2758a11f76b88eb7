#pragma once

#include <atomic>  // std::atomic
#include <new>     // std::nothrow

#include <sinter/base/error.hpp>
#include <sinter/device/host/packed_weight_cache.hpp>

namespace sinter::inline SINTER_ABI::detail {

struct PackedWeightCounters {
  std::atomic<std::int64_t> filled{0}, bytes{0};
};

SINTER_INLINE PackedWeightCounters& packed_weight_counters() {
  static auto& count = *new PackedWeightCounters;
  return count;
}

struct PackedWeightEntry final : Attachment {
  // The number of requests so far, or one of these states.
  static constexpr int filling = -1, ready = -2, never = -3;
  static constexpr int requests_until_filled = 3;
  static constexpr int max_per_storage = 4;

  explicit PackedWeightEntry(const Hash& layout) : key(layout) {}
  ~PackedWeightEntry() override { release(); }

  void release() {
    packed_weight_counters().bytes -= static_cast<std::int64_t>(memory.bytes());
    memory = Storage();
  }

  const Hash key;
  std::atomic<int> state{0};
  Storage memory{};
};

// The entry of `key`, added if it is missing; null if the storage has max_per_storage entries.
SINTER_INLINE PackedWeightEntry* find_or_add(Atomic<Attachment*>& first, const Hash& key) {
  Attachment* known = first.load(MemoryOrder::acquire);
  int count = 0;
  for (Attachment* one = known; one != nullptr; one = one->next, ++count) {
    auto* const block = static_cast<PackedWeightEntry*>(one);
    if (block->key == key) return block;
  }
  if (count == PackedWeightEntry::max_per_storage) return nullptr;
  auto* const block = new (std::nothrow) PackedWeightEntry(key);
  if (block == nullptr) return nullptr;
  block->next = known;
  // If another thread added an entry first, give up until the next call.
  if (first.compare_exchange(block->next, block)) return block;
  block->next = nullptr;
  delete block;
  return nullptr;
}

// Allocates memory with a header that says "not filled"; false if memory runs out.
SINTER_INLINE bool start_filling(PackedWeightEntry& block, std::size_t bytes) {
  try {
    block.memory = Storage::allocate(bytes, cpu(), Where{}, "a packed weight");
  } catch (const UserError&) {
    return false;
  }
  packed_weight_counters().bytes += static_cast<std::int64_t>(bytes);
  auto* const head = static_cast<std::int64_t*>(block.memory.data());
  head[0] = head[1] = 0;
  return true;
}

SINTER_INLINE PackedWeight::PackedWeight(const Storage& source, const Hash& key,
                                         std::size_t bytes) {
  using Block = detail::PackedWeightEntry;
  if (source.borrowed()) return;
  Block* const block = detail::find_or_add(source.block_->attached, key);
  if (block == nullptr) return;
  int state = block->state.load(std::memory_order_acquire);
  if (state == Block::ready) {
    block_ = block;
    return;
  }
  if (state < 0) return;
  const int next = state + 1 < Block::requests_until_filled ? state + 1 : Block::filling;
  if (!block->state.compare_exchange_strong(state, next) || next != Block::filling) return;
  if (!detail::start_filling(*block, bytes)) {
    block->state.store(Block::never);
    return;
  }
  block_ = block;
  fills_ = true;
}

SINTER_INLINE PackedWeight::~PackedWeight() {
  if (block_ == nullptr || !fills_) return;
  using Block = detail::PackedWeightEntry;
  auto* const head = static_cast<std::int64_t*>(block_->memory.data());
  const bool filled = head[1] != 0;
  head[0] = head[1];
  if (filled) ++detail::packed_weight_counters().filled;
  if (!filled) block_->release();
  block_->state.store(filled ? Block::ready : 0, std::memory_order_release);
}

SINTER_INLINE void* PackedWeight::data() const {
  return block_ == nullptr ? nullptr : block_->memory.data();
}

SINTER_INLINE PackedWeightStats packed_weight_stats() {
  const detail::PackedWeightCounters& count = detail::packed_weight_counters();
  return {count.filled.load(), count.bytes.load()};
}

}  // namespace sinter::inline SINTER_ABI::detail
