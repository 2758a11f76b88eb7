#pragma once

#include <algorithm>  // std::clamp, std::min_element
#include <cctype>     // std::isalnum

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/text.hpp>
#include <sinter/compile/unit/partition.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

namespace detail {

// A compiler run takes about as long to start as to compile half of this.
inline constexpr std::size_t bytes_per_run = 3500;

// Every run that calls a shorter function compiles it itself.
inline constexpr std::size_t bytes_to_share = 1500;

inline constexpr std::string_view of_this_run = "static __attribute__((noinline)) ";

// A prelude function that one run compiles for all of them; positions in the prelude.
struct SharedFunction {
  std::size_t begin = 0, body = 0, end = 0;
  std::size_t bytes() const { return end - begin; }
};

SINTER_INLINE std::string_view name_of(std::string_view signature) {
  const std::size_t end = std::min(signature.find('('), signature.size());
  const std::size_t begin = signature.substr(0, end).rfind(' ') + 1;
  return signature.substr(begin, end - begin);
}

// Whether a kernel uses the function.
SINTER_INLINE bool is_named(std::string_view name, const Vector<Source>& kernels) {
  const auto in_word = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
  };
  return any_of(kernels, [&](const Source& kernel) {
    const std::string& from = kernel.text;
    for (std::size_t at = 0; (at = from.find(name, at)) != std::string::npos; at += name.size()) {
      const std::size_t end = at + name.size();
      if ((at == 0 || !in_word(from[at - 1])) && (end == from.size() || !in_word(from[end]))) {
        return true;
      }
    }
    return false;
  });
}

// The position after the brace that closes the first one from `at` on, or npos.
SINTER_INLINE std::size_t end_of_body(std::string_view text, std::size_t at) {
  int open = 0;
  while ((at = text.find_first_of("{}", at)) != std::string_view::npos) {
    open += text[at++] == '{' ? 1 : -1;
    if (open == 0) return at;
  }
  return at;
}

// The long prelude functions that kernels of `unit` use.
SINTER_INLINE Vector<SharedFunction> shared_functions(const TranslationUnit& unit) {
  const std::string_view prelude = unit.prelude;
  Vector<SharedFunction> result;
  for (std::size_t at = 0; (at = prelude.find(of_this_run, at)) != std::string_view::npos;) {
    const std::size_t body = prelude.find(" {", at), end = end_of_body(prelude, at);
    if (end == std::string_view::npos) break;
    const SharedFunction function{.begin = at, .body = body, .end = end};
    const std::string_view signature =
        prelude.substr(at + of_this_run.size(), body - at - of_this_run.size());
    const bool begins_line = at == 0 || prelude[at - 1] == '\n';
    if (begins_line && function.bytes() >= bytes_to_share &&
        is_named(name_of(signature), unit.kernels)) {
      result.push_back(function);
    }
    at = function.end;
  }
  return result;
}

// The work of one compiler run: indices of kernels and of shared functions.
struct CompilerRun {
  Vector<std::size_t> kernels{}, functions{};
  std::size_t bytes = 0;
};

// The prelude of `run`: defines the shared functions of this run, declares those of other runs.
SINTER_INLINE std::string prelude_of(const CompilerRun& run, std::string_view prelude,
                                     const Vector<SharedFunction>& functions) {
  std::string result;
  std::size_t at = 0;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const SharedFunction& function = functions[i];
    const std::size_t signature = function.begin + of_this_run.size();
    const bool is_here = contains(run.functions, i);
    result += prelude.substr(at, function.begin - at);
    result += "__attribute__((noinline, visibility(\"hidden\"))) ";
    result += prelude.substr(signature, (is_here ? function.end : function.body) - signature);
    if (!is_here) result += ';';
    at = function.end;
  }
  return result.append(prelude.substr(at));
}

// Distributes kernels and functions over `count` runs, the longest first.
SINTER_INLINE Vector<CompilerRun> balanced_runs(const Vector<Source>& kernels,
                                                const Vector<SharedFunction>& functions,
                                                std::size_t count) {
  struct Item {
    std::size_t bytes, number;
    bool is_kernel;
  };
  Vector<Item> items;
  for (std::size_t i = 0; i < functions.size(); ++i)
    items.push_back({functions[i].bytes(), i, false});
  for (std::size_t i = 0; i < kernels.size(); ++i)
    items.push_back({kernels[i].text.size(), i, true});
  stable_sort(items, [](const Item& a, const Item& b) { return a.bytes > b.bytes; });
  Vector<CompilerRun> result(std::min(count, items.size()));
  for (const Item& item : items) {
    CompilerRun& run = *std::min_element(
        result.begin(), result.end(),
        [](const CompilerRun& a, const CompilerRun& b) { return a.bytes < b.bytes; });
    run.bytes += item.bytes;
    (item.is_kernel ? run.kernels : run.functions).push_back(item.number);
  }
  for (CompilerRun& run : result) stable_sort(run.kernels);
  return result;
}

// The kernels of `unit`, without duplicates.
SINTER_INLINE Vector<Source> distinct_kernels(const TranslationUnit& unit) {
  Vector<Source> result;
  HashSet<Hash, HashOfHash> seen;
  for (const Source& kernel : unit.kernels) {
    if (seen.insert(kernel.key).second) result.push_back(kernel);
  }
  return result;
}

}  // namespace detail

SINTER_INLINE Vector<UnitText> split_into_runs(const TranslationUnit& unit, std::size_t max_runs) {
  const UnitText whole = assemble(unit);
  const Vector<Source> kernels = detail::distinct_kernels(unit);
  const Vector<detail::SharedFunction> functions = detail::shared_functions(unit);
  std::size_t bytes = 0;
  for (const Source& kernel : kernels) bytes += kernel.text.size();
  const std::size_t count =
      std::min(std::clamp(bytes / detail::bytes_per_run, std::size_t{1}, max_runs), kernels.size());
  if (count <= 1) return {whole};

  Vector<UnitText> result;
  for (const detail::CompilerRun& run : detail::balanced_runs(kernels, functions, count)) {
    UnitText part{.text = detail::prelude_of(run, unit.prelude, functions)};
    for (const std::size_t i : run.kernels) {
      part.members.push_back(whole.members[i]);
      part.text += renamed_text(kernels[i], whole.members[i].symbol);
    }
    result.push_back(std::move(part));
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::compiler
