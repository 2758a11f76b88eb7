#pragma once
// A value of the program that is computed when it is needed: an operation on other such values, or
// its elements once they are there.

#include <atomic>    // std::atomic
#include <cstddef>   // std::size_t
#include <cstdint>   // std::uint32_t
#include <iterator>  // std::move_iterator
#include <utility>   // std::exchange, std::swap
#include <vector>    // std::vector

#include <sinter/config.hpp>
#include <sinter/device/storage.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI {

struct Lazy;

/// A counted reference to a Lazy.
class LazyRef {
 public:
  LazyRef() = default;
  explicit LazyRef(Lazy* owned) : lazy_(owned) {}
  LazyRef(const LazyRef& other);
  LazyRef(LazyRef&& other) noexcept : lazy_(std::exchange(other.lazy_, nullptr)) {}
  LazyRef& operator=(LazyRef other) noexcept {
    std::swap(lazy_, other.lazy_);
    return *this;
  }
  ~LazyRef() { reset(); }

  Lazy* get() const { return lazy_; }
  Lazy* operator->() const { return lazy_; }
  Lazy& operator*() const { return *lazy_; }
  explicit operator bool() const { return lazy_ != nullptr; }
  bool operator==(const LazyRef&) const = default;
  void reset() noexcept;
  /// Gives the reference up without counting down.
  Lazy* release() { return std::exchange(lazy_, nullptr); }

 private:
  Lazy* lazy_ = nullptr;
};

/// Which recording a value belongs to; 0 for values outside of recordings.
using RecordingId = std::uint64_t;

/// One result of a Lazy.
struct LazyValue {
  LazyRef lazy{};
  std::uint32_t result = 0;
};

/// The operands of a Lazy: up to three in place, as most have, so that they cost no memory of their
/// own.
class Operands {
 public:
  Operands() = default;
  Operands(std::vector<LazyValue> list) : more_(std::move(list)), size_(more_.size()) {
    if (size_ > in_place) return;
    std::move(more_.begin(), more_.end(), few_);
    more_.clear();
  }

  void push_back(LazyValue value) {
    if (size_ == in_place) more_.assign(std::move_iterator(few_), std::move_iterator(few_ + size_));
    if (size_ >= in_place) {
      more_.push_back(std::move(value));
    } else {
      few_[size_] = std::move(value);
    }
    ++size_;
  }
  void clear() { *this = Operands(); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  LazyValue* begin() { return size_ > in_place ? more_.data() : few_; }
  LazyValue* end() { return begin() + size_; }
  const LazyValue* begin() const { return size_ > in_place ? more_.data() : few_; }
  const LazyValue* end() const { return begin() + size_; }
  LazyValue& operator[](std::size_t i) { return begin()[i]; }
  const LazyValue& operator[](std::size_t i) const { return begin()[i]; }

 private:
  static constexpr std::size_t in_place = 3;

  LazyValue few_[in_place]{};
  std::vector<LazyValue> more_{};  // all of them, if they are more
  std::size_t size_ = 0;
};

struct Lazy {
  std::atomic<std::uint32_t> references{1};
  std::atomic<bool> is_watched{false};  ///< See watch().
  RecordingId recording = 0;
  Node node{};  ///< Its `inputs` stay empty; these are the operands:
  Operands operands{};
  std::vector<Storage> elements{};  ///< Of each result, once it is evaluated.
  LazyRef stands_for{};         ///< The value that this is, of a variable whose transform is over.
  bool is_detached = false;     ///< Stands for a value through which no gradient flows.
  Lazy* next_orphan = nullptr;  ///< A list of values that are about to be destroyed.

  bool evaluated() const { return !elements.empty(); }

  // Recordings make many and soon let go of them: each thread keeps the memory of some.
  static void* operator new(std::size_t size);
  static void operator delete(void* memory) noexcept;
};

/// A Lazy for `node` of `operands`.
LazyRef make_lazy(Node node, Operands operands, RecordingId recording);

/// A Lazy that holds elements, of a dense row-major tensor of `type`.
LazyRef make_evaluated(TensorType type, Storage elements);

namespace detail {
/// Destroys `lazy` and what only it refers to, without recursion: chains may be long.
void destroy(Lazy* lazy) noexcept;
/// How many values that were watched are no more.
std::atomic<std::uint64_t>& ended_watches();
}  // namespace detail

inline LazyRef::LazyRef(const LazyRef& other) : lazy_(other.lazy_) {
  if (lazy_ != nullptr) lazy_->references.fetch_add(1, std::memory_order_relaxed);
}

inline void LazyRef::reset() noexcept {
  Lazy* const lazy = std::exchange(lazy_, nullptr);
  if (lazy == nullptr) return;
  if (lazy->references.fetch_sub(1, std::memory_order_acq_rel) == 1) detail::destroy(lazy);
}

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/lazy.ipp>
#endif
