#pragma once

#include <algorithm>  // std::max, std::min
#include <cstddef>    // std::size_t

#include <sinter/base/container/vector.hpp>
#include <sinter/jit/interface/nearest.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// The edit distance of Levenshtein.
inline std::size_t edits_between(std::string_view a, std::string_view b) {
  Vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row[b.size()];
}

}  // namespace detail

SINTER_INLINE std::string_view nearest_name(std::string_view name,
                                            Span<const std::string_view> known) {
  std::string_view nearest;
  std::size_t least = 0;
  for (const std::string_view candidate : known) {
    const std::size_t edits = detail::edits_between(name, candidate);
    if (edits * 2 > std::max(name.size(), candidate.size())) continue;
    if (!nearest.empty() && edits >= least) continue;
    nearest = candidate, least = edits;
  }
  return nearest;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
