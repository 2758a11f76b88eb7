#pragma once

#include <algorithm>  // std::move
#include <iterator>   // std::move_iterator
#include <new>        // placement new

#include <sinter/base/container/vector.hpp>
#include <sinter/base/per_thread.hpp>
#include <sinter/device/host/scoped_device.hpp>
#include <sinter/trace/value/lazy.hpp>

namespace sinter::inline SINTER_ABI::detail {

// The memory cache of a thread; unused under a sanitizer, which must see each deallocation.
struct IdleMemory {
  IdleMemory* next;
};
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int most_idle = 0;
#else
inline constexpr int most_idle = 4096;
#endif
// Freed when the thread ends.
class IdleList {
 public:
  IdleList() = default;
  IdleList(const IdleList&) = delete;
  IdleList& operator=(const IdleList&) = delete;
  ~IdleList() {
    while (void* const memory = take()) ::operator delete(memory);
  }

  /// Null if there is none.
  void* take() noexcept {
    if (first_ == nullptr) return nullptr;
    --count_;
    return std::exchange(first_, first_->next);
  }
  void give(void* memory) noexcept {
    if (count_ == most_idle) return ::operator delete(memory);
    ++count_;
    first_ = new (memory) IdleMemory{first_};
  }

 private:
  IdleMemory* first_ = nullptr;
  int count_ = 0;
};

// Prepends the values referenced only by `lazy` to `orphans`.
SINTER_INLINE Lazy* release_operands(Lazy& lazy, Lazy* orphans) {
  const auto release = [&orphans](LazyRef& reference) {
    Lazy* const operand = reference.release();
    if (operand == nullptr) return;
    if (!operand->references.drop()) return;
    operand->next_orphan = std::exchange(orphans, operand);
  };
  for (LazyValue& operand : lazy.operands) release(operand.lazy);
  release(lazy.stands_for);
  return orphans;
}

SINTER_INLINE Atomic<std::uint64_t>& ended_watches() {
  static auto& count = *new Atomic<std::uint64_t>(0);
  return count;
}

SINTER_INLINE void destroy(Lazy* lazy) noexcept {
  while (lazy != nullptr) {
    Lazy* const orphans = release_operands(*lazy, lazy->next_orphan);
    if (lazy->is_watched.load(MemoryOrder::relaxed)) {
      ended_watches().fetch_add(1, MemoryOrder::release);
    }
    delete std::exchange(lazy, orphans);
  }
}

SINTER_INLINE Operands::Operands(Vector<LazyValue> list)
    : more_(std::move(list)), size_(more_.size()) {
  if (size_ > in_place) return;
  std::move(more_.begin(), more_.end(), few_);
  more_.clear();
}

SINTER_INLINE void Operands::push_back_to_more(LazyValue value) {
  if (size_ == in_place) more_.assign(std::move_iterator(few_), std::move_iterator(few_ + size_));
  more_.push_back(std::move(value));
  ++size_;
}

SINTER_INLINE void* Lazy::operator new(std::size_t size) {
  void* const idle = per_thread<detail::IdleList>().take();
  return idle == nullptr ? ::operator new(size) : idle;
}

SINTER_INLINE void Lazy::operator delete(void* memory) noexcept {
  per_thread<detail::IdleList>().give(memory);
}

SINTER_INLINE Place Place::of(Device device, bool is_number) {
  if (device.is_cuda()) return Place(Word::gpu, device.index());
  return Place(is_number ? Word::host_number : Word::host, 0);
}

SINTER_INLINE Place Place::made_on(Device device) {
  return device.is_cuda() ? Place(Word::scope, device.index()) : Place();
}

SINTER_INLINE void Lazy::set_device(Device device) {
  bool is_number = true;
  for (const TensorType& type : node.results) is_number &= type.shape.empty();
  place.store(Place::of(device, is_number), MemoryOrder::relaxed);
}

SINTER_INLINE void Lazy::share_number() {
  if (place.load(MemoryOrder::relaxed).word() == Place::Word::host) set_device(cpu());
}

SINTER_INLINE void Lazy::make_in_scope() {
  const Place made = Place::made_on(current_device());
  if (place.load(MemoryOrder::relaxed).yields_to(made)) {
    place.store(made, MemoryOrder::relaxed);
  }
}

SINTER_INLINE LazyRef make_lazy(Node node, Operands operands, RecordingId recording) {
  LazyRef result(new Lazy);
  result->recording = recording;
  result->node = std::move(node);
  result->operands = std::move(operands);
  for (const LazyValue& operand : result->operands) result->follow(*operand.lazy);
  result->share_number();
  return result;
}

SINTER_INLINE LazyRef make_evaluated(TensorType type, Storage elements) {
  LazyRef result(new Lazy);
  result->node.op = Op::input;
  result->node.results.push_back(type);
  result->set_device(elements.device());
  result->elements.push_back(std::move(elements));
  result->is_ready.store(true, MemoryOrder::release);
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail
