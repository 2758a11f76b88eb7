#pragma once
// A dimension in the type of a tensor: the "batch" and the 64 of TensorOf<float, "batch", 64>.

#include <array>     // std::array
#include <concepts>  // std::integral
#include <cstddef>   // std::size_t
#include <cstdint>   // std::int64_t
#include <optional>  // std::optional
#include <string>    // std::string

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI {

/// A number, a name or dyn. Its members are public so that it can be a template argument.
struct Dim {
  constexpr Dim() = default;
  consteval Dim(std::integral auto number) : size(static_cast<std::int64_t>(number)) {
    if (size < 0) throw "the size of a dimension is not negative";
  }
  template <std::size_t length>
  consteval Dim(const char (&text)[length]) {
    static_assert(length <= sizeof(name), "the name of a dimension has at most 23 characters");
    // Not past the end, which would be a second error.
    for (std::size_t i = 0; i < length && i < sizeof(name); ++i) name[i] = text[i];
  }
  bool operator==(const Dim&) const = default;

  std::int64_t size = -1;  ///< -1 unless this is a number.
  char name[24] = {};      ///< Empty unless this is a name.
};

/// A dimension that the type leaves open.
inline constexpr Dim dyn;

/// "64", "batch" or "dyn"
inline std::string to_string(const Dim& dim) {
  if (dim == dyn) return "dyn";
  return dim.size < 0 ? dim.name : std::to_string(dim.size);
}

namespace detail {

template <std::size_t rank>
using Dims = std::array<Dim, rank>;

/// False if the compiler can tell that the two differ.
constexpr bool agree(const Dim& a, const Dim& b) { return a == b || a == dyn || b == dyn; }

template <std::size_t n, std::size_t m>
constexpr bool agree(const Dims<n>& a, const Dims<m>& b) {
  if (n != m) return false;
  for (std::size_t i = 0; i < n; ++i) {
    if (!agree(a[i], b[i])) return false;
  }
  return true;
}

/// The broadcast dimension: equal ones stay; 1 and dyn yield to the other.
constexpr std::optional<Dim> broadcast(const Dim& a, const Dim& b) {
  if (a == b || b == 1) return a;
  if (a == 1 || a == dyn) return b;
  return b == dyn ? std::optional(a) : std::nullopt;
}

/// The broadcast dimensions; corresponds to broadcast(Shape, Shape) at run time.
template <std::size_t n>
constexpr std::optional<Dims<n>> broadcast(const Dims<n>& x) {
  return x;
}
template <std::size_t n, std::size_t m>
constexpr std::optional<Dims<(n > m ? n : m)>> broadcast(const Dims<n>& a, const Dims<m>& b) {
  Dims<(n > m ? n : m)> result;
  for (std::size_t i = 1; i <= result.size(); ++i) {  // from the last axis on
    const auto dim = broadcast(i <= n ? a[n - i] : Dim(1), i <= m ? b[m - i] : Dim(1));
    if (!dim) return std::nullopt;
    result[result.size() - i] = *dim;
  }
  return result;
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI
