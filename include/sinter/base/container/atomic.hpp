#pragma once
// An atomic object that compiles quickly: see docs/decisions/containers.md.

#include <type_traits>  // std::is_trivially_copyable_v

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The memory orders of std::memory_order.
enum class MemoryOrder : int {
  relaxed = __ATOMIC_RELAXED,
  acquire = __ATOMIC_ACQUIRE,
  release = __ATOMIC_RELEASE,
  acq_rel = __ATOMIC_ACQ_REL,
  seq_cst = __ATOMIC_SEQ_CST
};

/// std::atomic<T>, without waiting, on the built-in functions of the compilers.
template <class T>
class Atomic {
 public:
  static_assert(std::is_trivially_copyable_v<T>);
  static_assert(sizeof(T) <= sizeof(void*), "larger objects may need a lock");

  Atomic() = default;
  constexpr Atomic(T value) : value_(value) {}
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;
  T operator=(T value) {
    store(value);
    return value;
  }

  T load(MemoryOrder order = MemoryOrder::seq_cst) const {
    T result;
    __atomic_load(&value_, &result, static_cast<int>(order));
    return result;
  }
  operator T() const { return load(); }
  void store(T value, MemoryOrder order = MemoryOrder::seq_cst) {
    __atomic_store(&value_, &value, static_cast<int>(order));
  }
  /// Stores `value`; the value before.
  T exchange(T value, MemoryOrder order = MemoryOrder::seq_cst) {
    T result;
    __atomic_exchange(&value_, &value, &result, static_cast<int>(order));
    return result;
  }
  /// Stores `desired` if the value is `expected`; else assigns the value to `expected`.
  bool compare_exchange(T& expected, T desired) {
    return __atomic_compare_exchange(&value_, &expected, &desired, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST);
  }
  /// Of integers; the value before.
  T fetch_add(T change, MemoryOrder order = MemoryOrder::seq_cst) {
    return __atomic_fetch_add(&value_, change, static_cast<int>(order));
  }
  T fetch_sub(T change, MemoryOrder order = MemoryOrder::seq_cst) {
    return __atomic_fetch_sub(&value_, change, static_cast<int>(order));
  }

 private:
  alignas(sizeof(T)) T value_{};
};

}  // namespace sinter::inline SINTER_ABI::detail
