#pragma once
// The class Extent: its arithmetic with numbers, and what is declared of the rest; the definitions
// come with extent.hpp, which is the header to include.

#include <concepts>     // std::floating_point, std::integral, std::same_as
#include <cstddef>      // std::size_t
#include <cstdint>      // std::int64_t
#include <string>       // std::string
#include <type_traits>  // std::is_trivially_copyable_v
#include <utility>      // std::in_range

#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/symbol/extent/arithmetic.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

struct ExtentNode;

/// The known range of a symbol: min <= symbol <= max, and symbol is divisible by multiple_of.
struct SymbolInfo {
  std::int64_t min = 0;
  std::int64_t max = unbounded;
  std::int64_t multiple_of = 1;
  bool operator==(const SymbolInfo&) const = default;
};

}  // namespace detail

/// 8 bytes: a number of 63 bits, or a canonical expression, kept once per process and never freed.
/// A number has the representation of std::int64_t: printf("%ld", x.size(0)) prints it.
/// Division rounds down, and remainders are not negative; divisors are taken to be positive.
class Extent {
 public:
  static constexpr std::int64_t max_number = (std::int64_t{1} << 62) - 1;

  constexpr Extent() = default;
  /// Throws ValueError unless `number` fits in 63 bits.
  constexpr Extent(std::integral auto number, Where where = Where::current())
      : bits_(static_cast<std::uint64_t>(number)) {
    const bool fits = std::in_range<std::int64_t>(widen(number)) &&
                      static_cast<std::int64_t>(number) <= max_number &&
                      static_cast<std::int64_t>(number) >= -max_number - 1;
    if (!fits) detail::throw_extent_overflow(detail::text(number), where);
  }

  /// The size that is called `id`.
  static Extent symbol(std::uint32_t id, const detail::SymbolInfo& known = {});
  /// The variable of a loop: 0 <= range < extent. The range of extent 1 is the number 0.
  static Extent range(std::uint32_t id, Extent extent);

  constexpr bool is_number() const { return (top_bits_differ() >> 63) == 0; }
  /// Throws InternalError if this is not a number.
  std::int64_t number() const {
    if (!is_number()) throw_not_a_number();
    return signed_bits();
  }
  /// The value. In a recording, this fixes symbols: calls with other sizes are recorded again.
  /// Throws ConstraintError if the symbol is marked dynamic; ValueError outside of a recording.
  std::int64_t value(Where where = Where::current()) const;
  /// static_cast<int>(x.size(0)): value() in another type; the source line is unknown.
  /// Throws ValueError if the type does not hold the number.
  template <class T>
  requires(std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>) explicit
  operator T() const {
    const std::int64_t number = value(Where());
    if (!std::in_range<T>(number)) throw_too_large(number, sizeof(T) * 8);
    return static_cast<T>(number);
  }
  template <std::floating_point T>
  explicit operator T() const {
    return static_cast<T>(value(Where()));
  }

  bool is_symbol() const;
  bool is_range() const;
  bool is_variable() const { return is_symbol() || is_range(); }
  /// The id of a symbol or range. Throws InternalError for other expressions.
  std::uint32_t id() const;
  /// What is known of a symbol. Throws InternalError for other expressions.
  detail::SymbolInfo symbol_info() const;
  /// The extent of a range. Throws InternalError for other expressions.
  Extent range_extent() const;

  /// Equal for equal canonical expressions, in this process: a key for containers.
  constexpr std::uint64_t bits() const { return bits_; }
  /// The canonical expression; null for a number.
  const detail::ExtentNode* node() const {
    return is_number() ? nullptr : reinterpret_cast<const detail::ExtentNode*>(bits_ ^ node_tag);
  }
  static Extent of(const detail::ExtentNode* node) {
    return from_bits(reinterpret_cast<std::uint64_t>(node) ^ node_tag);
  }

  friend Extent operator+(Extent a, Extent b);
  friend Extent operator-(Extent a, Extent b);
  friend Extent operator*(Extent a, Extent b);
  friend Extent operator-(Extent a) { return Extent() - a; }
  Extent& operator+=(Extent other) { return *this = *this + other; }
  Extent& operator-=(Extent other) { return *this = *this - other; }
  Extent& operator*=(Extent other) { return *this = *this * other; }

 private:
  // bool and the character types are integral, but std::in_range does not take them.
  static constexpr auto widen(std::integral auto number) {
    if constexpr (sizeof(number) < sizeof(std::int64_t)) return static_cast<std::int64_t>(number);
    if constexpr (sizeof(number) >= sizeof(std::int64_t)) return number;
  }
  // The two highest bits of a number are equal; of an address with this tag they differ.
  static constexpr std::uint64_t node_tag = std::uint64_t{1} << 62;
  constexpr std::uint64_t top_bits_differ() const { return bits_ ^ bits_ << 1; }

  static constexpr Extent from_bits(std::uint64_t bits) {
    Extent result;
    result.bits_ = bits;
    return result;
  }
  constexpr std::int64_t signed_bits() const { return static_cast<std::int64_t>(bits_); }
  constexpr bool both_numbers(Extent other) const {
    return ((top_bits_differ() | other.top_bits_differ()) >> 63) == 0;
  }

  [[noreturn]] void throw_not_a_number() const;
  [[noreturn]] static void throw_too_large(std::int64_t number, std::size_t bits);
  static Extent add_symbolic(Extent a, Extent b);
  static Extent subtract_symbolic(Extent a, Extent b);
  static Extent multiply_symbolic(Extent a, Extent b);

  std::uint64_t bits_ = 0;
};

namespace detail {

static_assert(sizeof(Extent) == 8 && std::is_trivially_copyable_v<Extent>);

}  // namespace detail

// Sums of numbers of 63 bits fit in 64.
inline Extent operator+(Extent a, Extent b) {
  const Extent sum = Extent::from_bits(a.bits_ + b.bits_);
  return a.both_numbers(b) && sum.is_number() ? sum : Extent::add_symbolic(a, b);
}
inline Extent operator-(Extent a, Extent b) {
  const Extent difference = Extent::from_bits(a.bits_ - b.bits_);
  return a.both_numbers(b) && difference.is_number() ? difference : Extent::subtract_symbolic(a, b);
}
inline Extent operator*(Extent a, Extent b) {
  std::int64_t product = 0;
  if (a.both_numbers(b) && !__builtin_mul_overflow(a.signed_bits(), b.signed_bits(), &product)) {
    const Extent result = Extent::from_bits(static_cast<std::uint64_t>(product));
    if (result.is_number()) return result;
  }
  return Extent::multiply_symbolic(a, b);
}

/// a / b, rounded down. Throws ValueError if b is a number below 1.
Extent floor_div(Extent a, Extent b);
/// a - b * floor_div(a, b), which is in [0, b). Throws ValueError if b is a number below 1.
Extent mod(Extent a, Extent b);
/// a / b, rounded up.
Extent ceil_div(Extent a, Extent b);
Extent min(Extent a, Extent b);
Extent max(Extent a, Extent b);
inline Extent operator/(Extent a, Extent b) { return floor_div(a, b); }
inline Extent operator%(Extent a, Extent b) { return mod(a, b); }

namespace detail {

/// True if the two are the same canonical expression; never asks. False proves nothing.
constexpr bool same(Extent a, Extent b) { return a.bits() == b.bits(); }

/// For unordered containers whose key is an Extent.
struct HashOfExtent {
  std::size_t operator()(Extent extent) const {
    return static_cast<std::size_t>(extent.bits() * 0x9e3779b97f4a7c15 >> 16);
  }
};
/// For unordered containers whose key is an Extent: operator== may ask the recorder.
struct SameExtent {
  bool operator()(Extent a, Extent b) const { return same(a, b); }
};

/// An operand of a comparison, with its place in the user's program.
struct LocatedExtent {
  LocatedExtent(Extent v, Where at = Where::current()) : value(v), where(at) {}
  LocatedExtent(std::integral auto number, Where at = Where::current())
      : value(number), where(at) {}

  Extent value;
  Where where;
};

}  // namespace detail

// Comparisons of what the user wrote: decided if both are numbers or if a proof is found; else the
// recording answers with the sizes that it has seen and assumes the answer from then on.
// Throws ConstraintError if a mark_dynamic forbids the assumption; ValueError outside of a
// recording. Code of sinter calls same(), proven_less() and their like, which never ask.
bool operator==(const detail::LocatedExtent& lhs, const detail::LocatedExtent& rhs);
bool operator!=(const detail::LocatedExtent& lhs, const detail::LocatedExtent& rhs);
bool operator<(const detail::LocatedExtent& lhs, const detail::LocatedExtent& rhs);
bool operator<=(const detail::LocatedExtent& lhs, const detail::LocatedExtent& rhs);
bool operator>(const detail::LocatedExtent& lhs, const detail::LocatedExtent& rhs);
bool operator>=(const detail::LocatedExtent& lhs, const detail::LocatedExtent& rhs);

/// "64", "s0", "4*s0 + r1//8": never asks.
std::string symbolic_text(Extent extent);
/// "64". In a recording, the number that a symbol is in this call; that it is this number is
/// assumed from then on, since the program may go on as the text says. "s0" outside of one.
std::string to_string(Extent extent, Where where = Where::current());

}  // namespace sinter::inline SINTER_ABI
