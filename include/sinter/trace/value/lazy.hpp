#pragma once
// Lazy values: an operation on other lazy values, or its elements once evaluated.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::uint32_t
#include <utility>  // std::exchange, std::swap

#include <sinter/base/container/atomic.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/device/host/storage.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail {

struct Lazy;

/// Which recording a value belongs to; 0 for values outside of recordings.
using RecordingId = std::uint64_t;

/// The recording in progress on this thread; 0 outside of recordings.
inline thread_local RecordingId current_recording = 0;

/// The reference count of a value. References taken and dropped by the recording thread are counted
/// separately, without atomic operations, which would otherwise dominate the cost of recording. The
/// value is not destroyed until the two counts are merged.
class ReferenceCount {
 public:
  void add() {
    if (is_mine()) {
      add_own(1);
    } else {
      shared_.fetch_add(1, MemoryOrder::relaxed);
    }
  }
  /// True if this was the last reference.
  bool drop() {
    if (!is_mine()) return shared_.fetch_sub(1, MemoryOrder::acq_rel) == 1;
    add_own(-1);
    return false;
  }
  /// The total; only valid while no other thread counts.
  std::uint32_t load(MemoryOrder order = MemoryOrder::seq_cst) const {
    const auto own = own_.load(MemoryOrder::relaxed);
    return shared_.load(order) + own - (is_apart() ? guard : 0);
  }
  operator std::uint32_t() const { return load(); }

  /// Starts separate counting for the thread of `recording`. No other thread has the value yet.
  void begin_apart(RecordingId recording) {
    shared_.store(shared_.load(MemoryOrder::relaxed) + guard, MemoryOrder::relaxed);
    recording_.store(recording, MemoryOrder::relaxed);
  }
  /// Merges the counts; called on the recording thread.
  void end_apart() {
    if (!is_apart()) return;
    recording_.store(none, MemoryOrder::relaxed);
    shared_.fetch_add(own_.load(MemoryOrder::relaxed) - guard, MemoryOrder::acq_rel);
    own_.store(0, MemoryOrder::relaxed);
  }
  /// Drops a reference held by a value of the same recording; false if the recordings differ.
  bool drop_within_recording(const ReferenceCount& other) {
    const RecordingId recording = recording_.load(MemoryOrder::relaxed);
    if (recording == none || recording != other.recording_.load(MemoryOrder::relaxed)) {
      return false;
    }
    add_own(-1);
    return true;
  }

 private:
  static constexpr RecordingId none = ~RecordingId{0};
  static constexpr std::uint32_t guard = std::uint32_t{1} << 30;

  bool is_mine() const { return recording_.load(MemoryOrder::relaxed) == current_recording; }
  bool is_apart() const { return recording_.load(MemoryOrder::relaxed) != none; }
  void add_own(int step) {
    own_.store(own_.load(MemoryOrder::relaxed) + static_cast<std::uint32_t>(step),
               MemoryOrder::relaxed);
  }

  Atomic<std::uint32_t> shared_{1};
  Atomic<std::uint32_t> own_{0};
  Atomic<RecordingId> recording_{none};  // whose thread counts in own_
};

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
  /// Releases the reference without decrementing the count.
  Lazy* release() { return std::exchange(lazy_, nullptr); }

 private:
  Lazy* lazy_ = nullptr;
};

/// The branch, or body of a loop, that is traced on this thread, numbered in the order in which
/// they began; 0 outside of them.
using BodyId = std::uint64_t;
inline thread_local BodyId current_body = 0;

/// One result of a Lazy.
struct LazyValue {
  LazyRef lazy{};
  std::uint32_t result = 0;
};

/// The operands of a Lazy: up to three inline, which covers most, so that they need no allocation.
class Operands {
 public:
  Operands() = default;
  Operands(Vector<LazyValue> list);

  void push_back(LazyValue value) {
    if (size_ >= in_place) return push_back_to_more(std::move(value));
    few_[size_++] = std::move(value);
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

  void push_back_to_more(LazyValue value);

  LazyValue few_[in_place]{};
  Vector<LazyValue> more_{};  // all of them, if they are more
  std::size_t size_ = 0;
};

/// What an expression computes. The inputs of the graph are its operands from left to right, those
/// that are numbers with rank 0; it has one output.
struct ExpressionGraph {
  Graph graph;
  std::uint64_t id = 0;  ///< Unique.
};

/// The device of a value, or where it will be computed, with the strength of that decision. Among
/// the operands of an operation the strongest wins, so that constants and internal positions are
/// computed on the device of the other operands.
class Place {
 public:
  /// From weakest to strongest.
  enum class Word : std::uint8_t {
    none,         ///< Nothing: a number in the program.
    host_number,  ///< A tensor without axes is on the host, from where all devices read it.
    scope,        ///< It is made in the ScopedDevice of a GPU.
    host,         ///< A tensor is on the host.
    gpu           ///< A tensor is on the GPU.
  };

  constexpr Place() = default;
  /// That of a tensor on `device`, or of one without axes.
  static Place of(Device device, bool is_number);
  /// That of what is made of nothing in the scope of `device`.
  static Place made_on(Device device);

  Word word() const { return word_; }
  Device device() const {
    return word_ == Word::scope || word_ == Word::gpu ? cuda(index_) : cpu();
  }
  /// True if an operation on both is computed where `other` is.
  bool yields_to(const Place& other) const { return word_ <= other.word_; }

 private:
  Place(Word word, int index) : word_(word), index_(static_cast<std::uint8_t>(index)) {}

  Word word_ = Word::none;
  std::uint8_t index_ = 0;
};

struct Lazy {
  ReferenceCount references{};
  Atomic<bool> is_watched{false};  ///< See watch().
  Atomic<bool> is_ready{false};    ///< Every thread may read `elements`: see evaluate().
  Atomic<Place> place{};           ///< Where its elements are, or will be.
  RecordingId recording = 0;
  BodyId body = current_body;  ///< In which it was made.
  std::uint32_t position = 0;  ///< Among the values of its recording.
  std::uint32_t source = 0;    ///< Of an input of a recording: see Recorder::source().
  Node node;                   ///< Its `inputs` stay empty; these are the operands:
  Operands operands{};
  SharedPtr<const ExpressionGraph> expression{};        ///< The value is that of several nodes.
  Vector<Storage> elements{};                           ///< Of each result, once it is evaluated.
  LazyRef stands_for{};         ///< The value that this is, of a variable whose transform is over.
  bool is_detached = false;     ///< Stands for a value through which no gradient flows.
  bool is_variable = false;     ///< Derivatives with respect to it are being found.
  bool is_draw_offset = false;  ///< Random draws read it as their offset.
  Lazy* next_orphan = nullptr;  ///< A list of values that are about to be destroyed.

  bool evaluated() const { return !elements.empty(); }
  Device device() const { return place.load(MemoryOrder::relaxed).device(); }
  /// Makes it a tensor on that device.
  void set_device(Device device);
  /// Adopts the place of `operand`, unless the own one is stronger.
  void follow(const Lazy& operand) {
    const Place other = operand.place.load(MemoryOrder::relaxed);
    if (place.load(MemoryOrder::relaxed).yields_to(other)) {
      place.store(other, MemoryOrder::relaxed);
    }
  }
  /// A value without operands, or of numbers only, is placed on the current device of this thread.
  void make_in_scope();
  /// A scalar computed on the host is readable by all devices.
  void share_number();

  // Recordings create and destroy many: each thread caches some memory.
  static void* operator new(std::size_t size);
  static void operator delete(void* memory) noexcept;
};

/// A Lazy for `node` of `operands`.
LazyRef make_lazy(Node node, Operands operands, RecordingId recording);

/// A Lazy that holds elements, of a dense row-major tensor of `type`.
LazyRef make_evaluated(TensorType type, Storage elements);

/// Destroys `lazy` and what only it refers to, without recursion: chains may be long.
void destroy(Lazy* lazy) noexcept;
/// The number of watched values that have been destroyed.
Atomic<std::uint64_t>& ended_watches();

/// The value itself, or the value it stands for.
inline Lazy* target_of(Lazy* lazy) {
  while (lazy->stands_for) lazy = lazy->stands_for.get();
  return lazy;
}

/// A new reference to a live value.
inline LazyRef reference_to(Lazy& lazy) {
  lazy.references.add();
  return LazyRef(&lazy);
}

inline LazyRef::LazyRef(const LazyRef& other) : lazy_(other.lazy_) {
  if (lazy_ != nullptr) lazy_->references.add();
}

inline void LazyRef::reset() noexcept {
  Lazy* const lazy = std::exchange(lazy_, nullptr);
  if (lazy == nullptr) return;
  if (lazy->references.drop()) detail::destroy(lazy);
}

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/value/lazy.ipp>
#endif
