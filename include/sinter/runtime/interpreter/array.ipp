#pragma once

#include <algorithm>  // std::fill_n, std::min
#include <cstring>    // std::memcpy

#include <sinter/base/constant.hpp>
#include <sinter/runtime/interpreter/array.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime::interpreter {

namespace detail {

template <class T>
void copy_strided(const T* from, std::int64_t step, T* to, std::int64_t to_step,
                  std::int64_t size) {
  if (step == 1 && to_step == 1) {
    std::memcpy(to, from, static_cast<std::size_t>(size) * sizeof(T));
    return;
  }
  for (std::int64_t i = 0; i < size; ++i) to[i * to_step] = from[i * step];
}

template <class From>
void store_as(DType dtype, const From* from, std::int64_t size, void* to) {
  visit_dtype(dtype, [&]<class To>(To) {
    To* const elements = static_cast<To*>(to);
    for (std::int64_t i = 0; i < size; ++i) elements[i] = convert_element<To>(from[i]);
  });
}

// Converts a narrow dtype to the type in which it is computed.
SINTER_INLINE void widen(DType dtype, const void* from, std::int64_t size, void* to) {
  const auto convert = [&]<class From, class To>(From, To) {
    const From* const elements = static_cast<const From*>(from);
    To* const wide = static_cast<To*>(to);
    for (std::int64_t i = 0; i < size; ++i) wide[i] = static_cast<To>(elements[i]);
  };
  if (dtype == f16) return convert(half{}, float{});
  if (dtype == bf16) return convert(bfloat16{}, float{});
  if (dtype == i16) return convert(std::int16_t{}, std::int32_t{});
  if (dtype == i8) return convert(std::int8_t{}, std::int32_t{});
  convert(std::uint8_t{}, std::int32_t{});  // u8, and bool, whose bytes are 0 and 1
}

}  // namespace detail

SINTER_INLINE Array make_dense(DType dtype, const Sizes& shape, Where where) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(count(shape), static_cast<std::int64_t>(info(dtype).size), &bytes)) {
    bytes = INT64_MAX;  // the allocation then reports it
  }
  return {.dtype = dtype,
          .shape = shape,
          .strides = dense_strides(shape),
          .storage = Storage::allocate(static_cast<std::size_t>(bytes), cpu(), where)};
}

SINTER_INLINE bool is_dense(const Array& x) {
  const Runs<1> runs(x.shape, {x.strides});
  const std::int64_t size = count(x.shape);
  return runs.length() == size && (runs.step()[0] == 1 || size <= 1);
}

SINTER_INLINE Array to_dense(const Array& x, Where where) {
  if (is_dense(x)) return x;
  Array result = make_dense(x.dtype, x.shape, where);
  copy(x, result);
  return result;
}

SINTER_INLINE void copy(const Array& from, const Array& to) {
  Runs<2> runs(from.shape, {from.strides, to.strides});
  if (runs.length() == 0) return;
  detail::visit_size(static_cast<std::int64_t>(info(from.dtype).size), [&]<class T>(T) {
    const T* const source = reinterpret_cast<const T*>(from.data());
    T* const target = reinterpret_cast<T*>(to.data());
    const auto [step, to_step] = runs.step();
    do {
      const auto [start, to_start] = runs.start();
      detail::copy_strided(source + start, step, target + to_start, to_step, runs.length());
    } while (runs.next());
  });
}

SINTER_INLINE void store(DType dtype, const std::int32_t* from, std::int64_t size, void* to) {
  detail::store_as(dtype, from, size, to);
}
SINTER_INLINE void store(DType dtype, const std::int64_t* from, std::int64_t size, void* to) {
  detail::store_as(dtype, from, size, to);
}
SINTER_INLINE void store(DType dtype, const float* from, std::int64_t size, void* to) {
  detail::store_as(dtype, from, size, to);
}
SINTER_INLINE void store(DType dtype, const double* from, std::int64_t size, void* to) {
  detail::store_as(dtype, from, size, to);
}

SINTER_INLINE Reader::Reader(const Array& x)
    : x_(x),
      runs_(x.shape, {x.strides}),
      element_(static_cast<std::int64_t>(info(x.dtype).size)),
      dense_(is_dense(x)),
      uniform_(runs_.step()[0] == 0 && runs_.length() == count(x.shape)),
      narrow_(x.dtype != i32 && x.dtype != i64 && x.dtype != f32 && x.dtype != f64) {}

SINTER_INLINE const void* Reader::raw(std::int64_t size) {
  if (dense_) {
    const void* const elements = x_.data() + done_ * element_;
    done_ += size;
    return elements;
  }
  if (!uniform_ || filled_ < size) gather(size);
  return gathered_;
}

SINTER_INLINE const void* Reader::computed(std::int64_t size) {
  const bool was_filled = uniform_ && filled_ >= size;
  const void* const elements = raw(size);
  if (!narrow_) return elements;
  if (!was_filled) detail::widen(x_.dtype, elements, size, converted_);
  return converted_;
}

SINTER_INLINE void Reader::gather(std::int64_t size) {
  filled_ = size;
  detail::visit_size(element_, [&]<class T>(T) {
    const T* const source = reinterpret_cast<const T*>(x_.data());
    const std::int64_t step = runs_.step()[0];
    for (std::int64_t i = 0; i < size;) {
      const std::int64_t part = std::min(size - i, runs_.length() - done_);
      detail::copy_strided(source + runs_.start()[0] + done_ * step, step,
                           reinterpret_cast<T*>(gathered_) + i, 1, part);
      i += part;
      done_ += part;
      if (done_ == runs_.length()) {
        runs_.next();
        done_ = 0;
      }
    }
  });
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime::interpreter
