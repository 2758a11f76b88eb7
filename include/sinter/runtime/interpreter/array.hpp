#pragma once
// Strided host arrays of the interpreter, and readers and writers of their elements.

#include <cstddef>  // std::byte
#include <cstdint>  // std::int64_t

#include <sinter/base/dtype.hpp>
#include <sinter/base/where.hpp>
#include <sinter/device/host/storage.hpp>
#include <sinter/runtime/interpreter/strided_runs.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime::interpreter {

/// A view of elements in memory: the element at position p is at offset + sum of p[i] * strides[i],
/// counted in elements from the start of the storage. Strides may be 0 or negative.
struct Array {
  DType dtype{};
  Sizes shape{};
  Sizes strides{};
  std::int64_t offset = 0;
  Storage storage{};

  std::byte* data() const {
    return static_cast<std::byte*>(storage.data()) +
           offset * static_cast<std::int64_t>(info(dtype).size);
  }
};

namespace detail {

/// An element that is copied as bits, whatever its dtype; may alias elements of every type.
template <class Bits>
struct __attribute__((__may_alias__)) Moved {
  Bits bits;
};

/// Calls visit(Moved<Bits>{}) for an element of `size` bytes.
template <class Visit>
void visit_size(std::int64_t size, const Visit& visit) {
  if (size == 1) return visit(Moved<std::uint8_t>{});
  if (size == 2) return visit(Moved<std::uint16_t>{});
  if (size == 4) return visit(Moved<std::uint32_t>{});
  visit(Moved<std::uint64_t>{});
}

}  // namespace detail

/// A new uninitialized row-major array. Throws ValueError if memory runs out.
Array make_dense(DType dtype, const Sizes& shape, Where where);
/// True if `x` is row-major without gaps.
bool is_dense(const Array& x);
/// `x` if it is dense, else a dense copy.
Array to_dense(const Array& x, Where where);
/// Copies the elements of `from` to `to`, which has the same shape and dtype; the two must not
/// overlap.
void copy(const Array& from, const Array& to);

/// Calls visit(T{}) where T is the type in which elements of `dtype` are computed: narrow integers
/// and bool in std::int32_t, whose results wrap when they are narrowed; f16 and bf16 in float.
template <class Visit>
decltype(auto) visit_computed(DType dtype, Visit&& visit) {
  if (dtype == i64) return visit(std::int64_t{});
  if (dtype == f64) return visit(double{});
  if (is_floating(dtype)) return visit(float{});
  return visit(std::int32_t{});
}

/// Converts `size` elements to `dtype`, as convert_element does, and writes them to `to`.
void store(DType dtype, const std::int32_t* from, std::int64_t size, void* to);
void store(DType dtype, const std::int64_t* from, std::int64_t size, void* to);
void store(DType dtype, const float* from, std::int64_t size, void* to);
void store(DType dtype, const double* from, std::int64_t size, void* to);

/// The number of elements that are processed at a time, so that intermediates stay in the L1 cache.
inline constexpr std::int64_t chunk = 512;

/// Reads the elements of an array in row-major order, up to `chunk` at a time.
class Reader {
 public:
  /// Refers to `x`, which must outlive it.
  explicit Reader(const Array& x);

  /// The next `size` elements; valid until the next call.
  const void* raw(std::int64_t size);
  /// The same, converted to the type that visit_computed gives, which T must be.
  template <class T>
  const T* next(std::int64_t size) {
    return static_cast<const T*>(computed(size));
  }

 private:
  const void* computed(std::int64_t size);
  void gather(std::int64_t size);

  const Array& x_;
  Runs<1> runs_;
  std::int64_t element_;           // bytes
  bool dense_, uniform_, narrow_;  // no gaps; one repeated element; computed in a wider type
  std::int64_t done_ = 0;          // elements read, of the current run or of a dense array
  std::int64_t filled_ = 0;        // elements of a uniform array that are already in the buffers
  alignas(64) std::byte gathered_[chunk * 8];
  alignas(64) std::byte converted_[chunk * 4];
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime::interpreter

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/interpreter/array.ipp>
#endif
