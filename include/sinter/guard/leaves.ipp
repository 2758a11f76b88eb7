#pragma once

#include <cmath>  // std::frexp, std::isfinite

#include <sinter/guard/leaves.hpp>
#include <sinter/trace/context/division.hpp>

namespace sinter::inline SINTER_ABI::detail::guard::detail {

// The exponent, then the fraction as a sum of doubles.
SINTER_INLINE std::array<std::uint64_t, 4> words_of(long double value) {
  std::array<std::uint64_t, 4> result{};
  int exponent = 0;
  const bool is_finite = std::isfinite(value);
  long double rest = is_finite ? std::frexp(value, &exponent) : value;
  result[0] = static_cast<std::uint64_t>(exponent);
  for (std::size_t i = 1; i < result.size(); ++i) {
    const auto high = static_cast<double>(rest);
    result[i] = std::bit_cast<std::uint64_t>(high);
    rest = is_finite ? rest - static_cast<long double>(high) : 0;
  }
  return result;
}

SINTER_INLINE void add_division(Hasher& hasher, const Tensor& x) {
  const Division* const division = division_of(x);
  if (division == nullptr) return;
  hasher.add(static_cast<std::uint64_t>(division->level));
  hasher.add(static_cast<std::uint64_t>(division->group));
  for (const std::int64_t size : division->shape) hasher.add(static_cast<std::uint64_t>(size));
}

SINTER_INLINE std::string division_text(const Division& division) {
  constexpr std::string_view levels[]{"", "the optimizer", "gradients", "parameters"};
  return text(levels[static_cast<std::size_t>(division.level)], " of ", division.shape,
              " divided among group ", division.group);
}

SINTER_INLINE void LeafNamer::tensor(const Tensor& value, const LeafName& name) {
  if (value.defined()) {
    leaves_.push_back(to_string(name));
    const Division* const division = division_of(value);
    if (division == nullptr) return;
    add({to_string(name), division_text(*division), true, Kind::choice});
  } else {
    add({to_string(name), "undefined", true, Kind::undefined});
  }
}

SINTER_INLINE void LeafNamer::scalar(const Scalar&, const LeafName& name) {
  leaves_.push_back(to_string(name));
}

SINTER_INLINE void LeafNamer::structure(std::size_t size, const LeafName& name) {
  const std::string value = text(size, size == 1 ? " element" : " elements");
  add({to_string(name), value, true, Kind::length});
}

SINTER_INLINE void LeafNamer::presence(bool is_present, const LeafName& name) {
  add({to_string(name), is_present ? "present" : "absent", true, Kind::presence});
}

SINTER_INLINE void LeafNamer::add(PlainValue value) { plain_.push_back(std::move(value)); }

}  // namespace sinter::inline SINTER_ABI::detail::guard::detail
