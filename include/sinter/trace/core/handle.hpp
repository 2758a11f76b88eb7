#pragma once
// The types of user code: Tensor, a handle to a lazily evaluated value; Scalar, a number known at
// run time; Operand, an argument that is a tensor, a Scalar or a number.

#include <concepts>     // std::convertible_to
#include <string>       // std::string
#include <type_traits>  // std::is_class_v
#include <vector>       // std::vector

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/variant.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/trace/value/lazy.hpp>
#include <sinter/trace/value/lifetime.hpp>
#include <sinter/trace/value/mark.hpp>

namespace sinter::inline SINTER_ABI {

struct Operand;

namespace detail {

class Index;

}  // namespace detail

/// A dense tensor with value semantics: no operation changes a tensor that another handle sees.
/// Copies are cheap; elements are computed when they are read, or inside a compiled function.
class Tensor {
 public:
  /// An undefined tensor: everything but defined() and assignment throws ValueError.
  Tensor() = default;
  explicit Tensor(detail::LazyRef lazy, std::uint32_t result = 0)
      : lazy_(std::move(lazy)), result_(result) {}
  Tensor(const Tensor&) = default;
  Tensor(Tensor&&) noexcept = default;
  ~Tensor() = default;
  Tensor& operator=(const Tensor&) & = default;
  Tensor& operator=(Tensor&&) & noexcept = default;

  // x[i] = y would have no visible effect.
  template <class T>
  void operator=(T&&) && {
    refuse_assignment<T>();
  }
  template <class T>
  void operator+=(T&&) && {
    refuse_assignment<T>();
  }
  template <class T>
  void operator-=(T&&) && {
    refuse_assignment<T>();
  }
  template <class T>
  void operator*=(T&&) && {
    refuse_assignment<T>();
  }
  template <class T>
  void operator/=(T&&) && {
    refuse_assignment<T>();
  }

  bool defined() const { return static_cast<bool>(lazy_); }
  DType dtype(Where where = Where::current()) const { return type(where).dtype; }
  const Shape& shape(Where where = Where::current()) const { return type(where).shape; }
  int ndim(Where where = Where::current()) const { return type(where).shape.size(); }
  /// The extent of dimension `dim`; negative dimensions count from the end.
  Extent size(int dim, Where where = Where::current()) const;
  Extent numel(Where where = Where::current()) const { return sinter::numel(type(where).shape); }
  Device device(Where where = Where::current()) const;
  const detail::TensorType& type(Where where = Where::current()) const {
    detail::require_alive(this);
    if (!lazy_) throw_undefined(where);
    if (detail::current_recording != 0 && lazy_->recording != detail::current_recording)
      note_looked_at(where);
    return lazy_->node.results[result_];
  }

  /// The same elements in another dtype: floating to integer saturates, integers wrap.
  Tensor to(DType dtype, Where where = Where::current()) const;
  Tensor to(Device device, Where where = Where::current()) const;

  /// x[2], x[all], x[Slice{1, 3}], x[newaxis], x[ellipsis], x[indices].
  Tensor operator[](detail::Index index) const;
  Tensor operator[](std::initializer_list<detail::Index> indices) const;

  Tensor& operator+=(Operand other) &;
  Tensor& operator-=(Operand other) &;
  Tensor& operator*=(Operand other) &;
  Tensor& operator/=(Operand other) &;

  /// The element of a tensor with exactly one element, converted to `T`. A read on the host.
  template <detail::Number T>
  T item(Where where = Where::current()) const;
  /// All elements in row-major order. DTypeError unless `T` is the element type. A read on the
  /// host.
  template <ElementType T>
  std::vector<T> to_vector(Where where = Where::current()) const;
  /// The elements in row-major order, valid until this tensor is assigned or destroyed. A read on
  /// the host.
  template <ElementType T>
  const T* data(Where where = Where::current()) const;
  /// True if the only element is not 0. A read on the host.
  explicit operator bool() const;

  /// Internal access to the value and its marks.
  const detail::LazyRef& lazy() const { return lazy_; }
  std::uint32_t result() const { return result_; }
  const detail::Marks* marks() const { return marks_.get(); }
  void set_marks(detail::SharedPtr<const detail::Marks> marks) { marks_ = std::move(marks); }
  /// Takes the value of `other` but keeps its own marks: for arguments that a compiled function
  /// changed.
  void set_value(const Tensor& other) { lazy_ = other.lazy_, result_ = other.result_; }

 private:
  [[noreturn]] static void throw_undefined(Where where);
  template <class T>
  static void refuse_assignment() {
    static_assert(sizeof(T) == 0,
                  "sinter::Tensor x[index] = value would change nothing: write x = set(x, index, "
                  "value), or index_put(x, {index}, value, true) for +=");
  }
  // Notes that the recording depends on a tensor that is not an argument.
  void note_looked_at(Where where) const;

#ifdef SINTER_LIFETIMES
  [[no_unique_address]] detail::TensorLife life_{};
#endif
  detail::LazyRef lazy_;
  std::uint32_t result_ = 0;
  detail::SharedPtr<const detail::Marks> marks_;
};

namespace detail {

/// `tensor` in the recording in progress: a tensor that is not an argument becomes an input as
/// well.
const Tensor& imported_anew(const Tensor& tensor, Where where);
inline const Tensor& imported(const Tensor& tensor, Where where) {
  const bool is_known =
      current_recording == 0 || !tensor.defined() || tensor.lazy()->recording == current_recording;
  return is_known ? tensor : imported_anew(tensor, where);
}

}  // namespace detail

/// A number known at run time: arithmetic on it is recorded, compiled functions take it as an input
/// and may change it, and it is never guarded. In type promotion it is weak, like a number.
class Scalar {
 public:
  Scalar() : Scalar(0.0f) {}
  Scalar(detail::Number auto number)
      : value_(of_number(detail::constant(number, dtype_of_number(number)))) {}
  /// A size, i64; each call of a recording uses the size of that call.
  Scalar(Extent size, Where where = Where::current());
  /// Throws ShapeError unless `value` is of rank 0.
  explicit Scalar(Tensor value, Where where = Where::current());
  Scalar& operator=(detail::Located<Tensor> value);
  /// An f32 or f64 scalar keeps its dtype, like a C++ float, so compiled code for it stays valid.
  /// Any other takes the dtype of the number.
  Scalar& operator=(detail::Number auto number) {
    const DType given = dtype_of_number(number);
    const DType own = value_.defined() ? dtype() : given;
    value_ = of_number(detail::constant(number, own == f32 || own == f64 ? own : given));
    return *this;
  }

  Scalar& operator+=(Operand other);
  Scalar& operator-=(Operand other);
  Scalar& operator*=(Operand other);
  Scalar& operator/=(Operand other);

  /// A read on the host.
  template <detail::Number T>
  T item(Where where = Where::current()) const {
    return value_.item<T>(where);
  }
  /// True if it is not 0. A read on the host.
  explicit operator bool() const { return static_cast<bool>(value_); }
  DType dtype() const { return value_.dtype(); }
  const Tensor& tensor() const { return value_; }
  Tensor& tensor() { return value_; }

 private:
  template <detail::Number T>
  static constexpr DType dtype_of_number(T) {
    if (std::is_same_v<T, bool>) return boolean;
    if (std::is_integral_v<T>) return i64;
    return std::is_same_v<T, float> ? f32 : f64;
  }
  static Tensor of_number(detail::Constant number);

  Tensor value_;
};

/// An argument of an operator or function: a tensor, anything that converts to one, or a number,
/// together with the source line in the user's program, which the conversion captures.
struct Operand {
  Operand(const Tensor& tensor, Where at = Where::current())
      : value(imported(tensor, at)), where(at) {}
  Operand(const Scalar& scalar, Where at = Where::current())
      : value(imported(scalar, at)), where(at) {}
  template <class T>
  requires(std::is_class_v<T> && !std::same_as<T, Tensor> && !std::same_as<T, Scalar> &&
           std::convertible_to<const T&, Tensor>)
      Operand(const T& typed, Where at = Where::current())
      : value(imported(Tensor(typed), at)), where(at) {}
  template <detail::Number T>
  Operand(T number, Where at = Where::current()) : value(detail::constant(number)), where(at) {}
  /// A size is an integer of the program; a symbolic size is a value of the recording.
  Operand(Extent size, Where at = Where::current());

  detail::OperandType type() const;
  /// Rank 0 for numbers.
  Shape shape() const;
  bool is_number() const { return value.is<detail::Constant>(); }
  /// The tensor, or the number as a tensor of rank 0.
  Tensor tensor() const;

  detail::Variant<Tensor, Scalar, detail::Constant> value;
  Where where;

 private:
  static Scalar imported(const Scalar& scalar, Where where) {
    const Tensor& known = sinter::detail::imported(scalar.tensor(), where);
    return &known == &scalar.tensor() ? scalar : Scalar(known, where);
  }
  static const Tensor& imported(const Tensor& tensor, Where where) {
    detail::require_alive(&tensor);
    return sinter::detail::imported(tensor, where);
  }
};

/// "f32[64, 128]". In a recording it shows the sizes of this call, which the recording then
/// assumes.
std::string to_string(const Tensor& tensor, Where where = Where::current());
/// "f32[64, 128]" or "2", as in error messages: the recording assumes nothing.
std::string to_string(const Operand& operand);

namespace detail {

/// The same for a tensor.
std::string described(const Tensor& tensor);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI
