#pragma once
// Shared pointers that compile quickly, for the library's own classes: see
// docs/decisions/containers.md. What does not depend on the type of the object is written once.

#include <concepts>     // std::convertible_to
#include <cstddef>      // std::nullptr_t
#include <cstdint>      // std::int32_t
#include <new>          // operator delete, __STDCPP_DEFAULT_NEW_ALIGNMENT__
#include <type_traits>  // std::remove_const_t

#include <sinter/base/container/atomic.hpp>
#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Precedes a shared object in its memory. The object lives while there are owners, its memory
/// while there are references: one of all owners together, and one of each WeakPtr.
struct SharedBlock {
  Atomic<std::int32_t> owners{1};
  Atomic<std::int32_t> references{1};
  void (*destroy)(SharedBlock*) = nullptr;  ///< Destroys the object, not its memory.
};

inline void release_reference(SharedBlock* block) {
  if (block->references.fetch_sub(1, MemoryOrder::acq_rel) == 1) ::operator delete(block);
}
inline void release_owner(SharedBlock* block) {
  if (block->owners.fetch_sub(1, MemoryOrder::acq_rel) != 1) return;
  block->destroy(block);
  release_reference(block);
}
/// Makes the caller an owner, unless the object is destroyed already.
inline bool add_owner(SharedBlock* block) {
  std::int32_t owners = block == nullptr ? 0 : block->owners.load(MemoryOrder::relaxed);
  while (owners != 0) {
    if (block->owners.compare_exchange(owners, owners + 1)) {
      return true;
    }
  }
  return false;
}

/// One owner of a block, if that is not null.
class SharedOwner {
 public:
  SharedOwner() = default;
  explicit SharedOwner(SharedBlock* block) : block_(block) {}
  SharedOwner(const SharedOwner& other) : block_(other.block_) {
    if (block_ != nullptr) block_->owners.fetch_add(1, MemoryOrder::relaxed);
  }
  SharedOwner(SharedOwner&& other) noexcept : block_(other.block_) { other.block_ = nullptr; }
  SharedOwner& operator=(SharedOwner other) noexcept {
    swap(other);
    return *this;
  }
  ~SharedOwner() {
    if (block_ != nullptr) release_owner(block_);
  }
  void swap(SharedOwner& other) noexcept {
    SharedBlock* const mine = block_;
    block_ = other.block_;
    other.block_ = mine;
  }

  SharedBlock* block() const { return block_; }

 private:
  SharedBlock* block_ = nullptr;
};

/// One reference to a block, if that is not null.
class WeakOwner {
 public:
  WeakOwner() = default;
  explicit WeakOwner(SharedBlock* block) : block_(block) {
    if (block_ != nullptr) block_->references.fetch_add(1, MemoryOrder::relaxed);
  }
  WeakOwner(const WeakOwner& other) : WeakOwner(other.block_) {}
  WeakOwner(WeakOwner&& other) noexcept : block_(other.block_) { other.block_ = nullptr; }
  WeakOwner& operator=(WeakOwner other) noexcept {
    SharedBlock* const old = block_;
    block_ = other.block_;
    other.block_ = old;
    return *this;
  }
  ~WeakOwner() {
    if (block_ != nullptr) release_reference(block_);
  }

  SharedBlock* block() const { return block_; }

 private:
  SharedBlock* block_ = nullptr;
};

/// Owns an object together with its copies, with the interface of std::shared_ptr<T>. Objects come
/// from make_shared_ptr().
template <class T>
class SharedPtr {
 public:
  SharedPtr() = default;
  SharedPtr(std::nullptr_t) {}
  /// An owner of `object`, which lives as long as the object of `owner`.
  SharedPtr(SharedOwner owner, T* object)
      : owner_(static_cast<SharedOwner&&>(owner)), object_(object) {}
  SharedPtr(const SharedPtr&) = default;
  SharedPtr(SharedPtr&& other) noexcept
      : owner_(static_cast<SharedOwner&&>(other.owner_)), object_(other.object_) {
    other.object_ = nullptr;
  }
  template <class Derived>
  requires std::convertible_to<Derived*, T*> SharedPtr(SharedPtr<Derived> other)
      : owner_(other.owner()), object_(other.get()) {}
  SharedPtr& operator=(SharedPtr other) noexcept {
    T* const object = object_;
    object_ = other.object_;
    other.object_ = object;
    owner_.swap(other.owner_);  // `other` drops the old object, which may own this pointer
    return *this;
  }
  ~SharedPtr() = default;

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  decltype(auto) operator*() const { return (*object_); }
  explicit operator bool() const { return object_ != nullptr; }
  const SharedOwner& owner() const { return owner_; }
  void reset() { *this = nullptr; }

  friend bool operator==(const SharedPtr& a, const SharedPtr& b) { return a.object_ == b.object_; }
  friend auto operator<=>(const SharedPtr& a, const SharedPtr& b) {
    return a.object_ <=> b.object_;
  }

 private:
  SharedOwner owner_{};
  T* object_ = nullptr;
};

/// Refers to an object of SharedPtr<T> without owning it, with the interface of std::weak_ptr<T>.
template <class T>
class WeakPtr {
 public:
  WeakPtr() = default;
  template <class Derived>
  requires std::convertible_to<Derived*, T*> WeakPtr(const SharedPtr<Derived>& shared)
      : owner_(shared.owner().block()), object_(shared.get()) {}

  template <class Derived>
  requires std::convertible_to<Derived*, T*> WeakPtr(const WeakPtr<Derived>& other)
      : owner_(other.owner_), object_(other.object_) {}

  bool expired() const { return owner_.block() == nullptr || owner_.block()->owners == 0; }
  /// Null if the object is destroyed.
  SharedPtr<T> lock() const {
    if (!add_owner(owner_.block())) return nullptr;
    return SharedPtr<T>(SharedOwner(owner_.block()), object_);
  }
  /// True if both are of the same object, destroyed or not.
  bool is_same(const WeakPtr& other) const { return owner_.block() == other.owner_.block(); }

 private:
  template <class Other>
  friend class WeakPtr;

  WeakOwner owner_{};
  T* object_ = nullptr;
};

/// Base class of a class T whose methods need a SharedPtr to their own object, which must come from
/// make_shared_ptr().
template <class T>
class SharedFromThis {
 public:
  SharedFromThis() = default;
  SharedFromThis(const SharedFromThis&) {}  // a copy has owners of its own
  SharedFromThis& operator=(const SharedFromThis&) { return *this; }

  SharedPtr<T> shared_from_this() { return this_.lock(); }
  SharedPtr<const T> shared_from_this() const { return this_.lock(); }
  const WeakPtr<T>& weak_from_this() const { return this_; }
  void set_this(WeakPtr<T> object) { this_ = static_cast<WeakPtr<T>&&>(object); }

 private:
  WeakPtr<T> this_{};
};

template <class T>
struct SharedObject : SharedBlock {
  static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__, "operator new aligns for T");

  template <class... Arguments>
  explicit SharedObject(Arguments&&... arguments) : object(static_cast<Arguments&&>(arguments)...) {
    destroy = [](SharedBlock* block) { static_cast<SharedObject*>(block)->object.~T(); };
  }
  SharedObject(const SharedObject&) = delete;
  ~SharedObject() {}  // see `destroy`

  union {
    T object;
  };
};

template <class T, class... Arguments>
SharedPtr<T> make_shared_ptr(Arguments&&... arguments) {
  using Object = std::remove_const_t<T>;
  auto* const made = new SharedObject<Object>(static_cast<Arguments&&>(arguments)...);
  SharedPtr<Object> result(SharedOwner(made), &made->object);
  if constexpr (requires { result->set_this(result); }) result->set_this(result);
  return result;
}

/// An owner of what `object` owns; for classes that are not SharedFromThis.
template <class T>
SharedPtr<T> share(UniquePtr<T> object) {
  static_assert(
      !requires { object->weak_from_this(); }, "use make_shared_ptr()");
  T* const address = object.get();
  return {make_shared_ptr<UniquePtr<T>>(static_cast<UniquePtr<T>&&>(object)).owner(), address};
}

}  // namespace sinter::inline SINTER_ABI::detail
