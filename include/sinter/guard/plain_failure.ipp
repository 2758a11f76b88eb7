#pragma once
// The first plain value of a call that is not what was recorded, and what to do about it.

#include <algorithm>  // std::min

#include <sinter/guard/guard.hpp>

namespace sinter::inline SINTER_ABI::detail::guard::detail {

SINTER_INLINE std::string remedy(PlainValue::Kind kind) {
  switch (kind) {
    case PlainValue::Kind::number:
      return "make a number that varies a Scalar, which is an input";
    case PlainValue::Kind::choice:
      return "each choice has a recording of its own; where(condition, x, y) chooses in one";
    case PlainValue::Kind::text:
      return "each text has a recording of its own; keep what varies out of the arguments";
    case PlainValue::Kind::length:
      return "each length has a recording of its own; stack the elements into one tensor";
    case PlainValue::Kind::key:
      return "each set of keys has a recording of its own; keep the keys, and change the values";
    case PlainValue::Kind::setting:
      return "each setting has a recording of its own; make all calls in the scope of the first";
    case PlainValue::Kind::presence:
    case PlainValue::Kind::undefined:
      break;
  }
  return "each case has a recording of its own; pass a tensor in every call, zeros say, for one";
}

SINTER_INLINE std::string found_in_words(const PlainValue& value) {
  return value.kind == PlainValue::Kind::undefined ? "no tensor" : value.value;
}

// The first difference between what was recorded and what there is. An undefined tensor is in one
// of the lists only.
SINTER_INLINE std::optional<Failure> plain_failure(std::span<const PlainValue> expected,
                                                   std::span<const PlainValue> found) {
  const std::size_t size = std::min(expected.size(), found.size());
  std::size_t i = 0;
  while (i < size && expected[i] == found[i]) ++i;
  if (i == expected.size() && i == found.size()) return std::nullopt;
  const auto is_undefined = [](std::span<const PlainValue> list, std::size_t at) {
    return at < list.size() && list[at].kind == PlainValue::Kind::undefined;
  };
  if (i < size && expected[i].name == found[i].name) {
    return Failure{.leaf = found[i].name,
                   .expected = found_in_words(expected[i]),
                   .found = found_in_words(found[i]),
                   .fix = remedy(found[i].kind)};
  }
  const bool is_gone = is_undefined(found, i);
  if (!is_gone && !is_undefined(expected, i)) return std::nullopt;
  return Failure{.leaf = is_gone ? found[i].name : expected[i].name,
                 .expected = is_gone ? "a tensor" : "no tensor",
                 .found = is_gone ? "no tensor" : "a tensor",
                 .fix = remedy(PlainValue::Kind::undefined)};
}

}  // namespace sinter::inline SINTER_ABI::detail::guard::detail
