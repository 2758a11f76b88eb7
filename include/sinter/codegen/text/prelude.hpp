#pragma once
// Collects the helpers that kernels call, directly or through other helpers, by their names.

#include <algorithm>    // std::min
#include <mutex>        // std::mutex
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/base/source.hpp>
#include <sinter/base/text.hpp>
#include <sinter/codegen/text/helper_text.hpp>
#include <sinter/codegen/text/writer.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The helper tables of a language. Among helpers of one name, the first counts.
struct HelperTables {
  std::string_view opening{};  ///< The first lines of every prelude.
  /// The definition of "f32x4": four numbers, 16 bytes.
  std::string (*vector)(std::string_view name, const VectorType& type, int bytes) = nullptr;
  Vector<Span<const Helper>> tables{};
  /// Each generates a family of helpers from the name; "" for other names.
  Vector<std::string (*)(std::string_view name, const VectorType& type)> families{};
};

namespace detail {

inline bool mentions(std::string_view words, std::string_view word) {
  std::size_t at = 0;
  while (at < words.size()) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    if (words.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

inline std::string wrapped_lines(std::string_view definition) {
  std::string result;
  for (std::size_t at = 0; at < definition.size();) {
    const std::size_t end = std::min(definition.find('\n', at), definition.size());
    result += wrapped(std::string(definition.substr(at, end - at))) + "\n";
    at = end + 1;
  }
  return result;
}

inline std::string lane_by_lane(const Helper& helper, std::string_view name,
                                const VectorType& type) {
  const std::string_view parameters = helper.text.substr(0, helper.text.find(')'));
  const bool two = parameters.find(',') != std::string_view::npos;
  const std::string form =
      text("INLINE $T ", name, two ? "_$S($T a, $T b)" : "_$S($T a)",
           " {\n  $T r = {};\n  for (int i = 0; i < $N; ++i) r[i] = ", name, "_", type.type->name,
           two ? "(a[i], b[i]);" : "(a[i]);", "\n  return r;\n}");
  return fill_helper(form, type);
}

// Appends `line` to `to`; words that begin with `name` begin with "@" instead.
inline void append_renamed(std::string& to, std::string_view line, std::string_view name) {
  std::size_t begin = 0;
  for (std::size_t at = 0; !name.empty() && (at = line.find(name, at)) != line.npos;) {
    if (at == 0 || !in_word(line[at - 1])) {
      to.append(line.substr(begin, at - begin)).append("@");
      begin = at + name.size();
    }
    at += name.size();
  }
  to.append(line.substr(begin)).append("\n");
}

// `source` without comments, with its function renamed to "@".
inline std::string code_of(const Source& source) {
  std::string result;
  std::string_view rest = source.text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, std::min(end, rest.find("//")));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    line = line.substr(0, line.find_last_not_of(' ') + 1);
    if (!line.empty()) append_renamed(result, line, source.name);
  }
  return result;
}

}  // namespace detail

/// All helpers of a language by name. Each is instantiated once per process. Thread-safe.
class HelperSet {
 public:
  explicit HelperSet(HelperTables tables) : tables_(std::move(tables)) {}

  /// The definitions of all helpers that `kernels` call, each after the helpers that it calls.
  std::string prelude(Span<const Source> kernels) {
    std::string result(tables_.opening);
    HashSet<const Definition*> written;
    const auto write = [&](const auto& self, const Definition& one) -> void {
      if (!written.insert(&one).second) return;
      for (const Definition* const called : one.calls) self(self, *called);
      result += one.text;
    };
    const std::lock_guard lock(mutex_);
    for (const Source& kernel : kernels) {
      for (const Definition* const one : find_all(kernel.text)) write(write, *one);
    }
    return result;
  }

  /// The hash of the code that is compiled for `kernel`, with the helpers that it calls, but
  /// without its name and its comments, which cite lines of the user.
  Hash code_hash(const Source& kernel) {
    const std::string code = detail::code_of(kernel);
    Hasher hasher;
    hasher.add(tables_.opening).add(code);
    const std::lock_guard lock(mutex_);
    for (const Definition* const one : find_all(code)) hasher.add(one->hash);
    return hasher.result();
  }

 private:
  struct Definition {
    std::string text{};
    Vector<const Definition*> calls{};  ///< In order of appearance.
    Hash hash{};                        ///< Of the text and of the helpers that it calls.
  };

  // Requires the mutex. A recursive helper finds itself, not hashed yet.
  const Definition* find(std::string_view word) {
    const auto [known, is_new] = known_.try_emplace(std::string(word));
    if (!is_new) return known->second.get();
    const std::string definition = define(word);
    if (definition.empty()) return nullptr;
    auto owned = make_unique_ptr<Definition>(Definition{.text = detail::wrapped_lines(definition)});
    Definition* const result = owned.get();
    known_[std::string(word)] = std::move(owned);
    result->calls = find_all(definition);
    Hasher hasher;
    hasher.add(result->text);
    for (const Definition* const called : result->calls) hasher.add(called->hash);
    result->hash = hasher.result();
    return result;
  }

  // The helpers that `text` names, each once.
  Vector<const Definition*> find_all(std::string_view text) {
    Vector<const Definition*> result;
    HashSet<std::string_view> seen;
    detail::for_each_word(text, [&](std::string_view word) {
      if (!seen.insert(word).second) return;
      if (const Definition* const found = find(word); found != nullptr) result.push_back(found);
    });
    return result;
  }

  std::string define(std::string_view word) const {
    if (const VectorType type = parse_vector_type(word); type.type != nullptr && type.lanes > 1) {
      return tables_.vector(word, type, type.type->size * type.lanes);
    }
    const std::size_t line = word.rfind('_');
    if (line != std::string_view::npos) {
      const VectorType of = parse_vector_type(word.substr(line + 1));
      if (of.type != nullptr) return instance(word.substr(0, line), of);
    }
    for (const Span<const Helper> table : tables_.tables) {
      for (const Helper& helper : table) {
        if (helper.types.empty() && helper.names == word) return std::string(helper.text);
      }
    }
    return "";
  }

  std::string instance(std::string_view name, const VectorType& type) const {
    if (name.substr(0, 5) == "call_") {
      const std::string form = text("static __attribute__((noinline)) $T ", name,
                                    "_$S($T v) { return ", name.substr(5), "_$S(v); }");
      return fill_helper(form, type);
    }
    for (const auto family : tables_.families) {
      if (std::string member = family(name, type); !member.empty()) return member;
    }
    const Helper* scalar = nullptr;
    for (const Span<const Helper> table : tables_.tables) {
      for (const Helper& helper : table) {
        if (!detail::mentions(helper.names, name)) continue;
        if (!detail::mentions(helper.types, type.type->name)) continue;
        if (fits(helper, type)) return fill_helper(helper.text, type, name);
        if (helper.lanes == Lanes::one) scalar = &helper;
      }
    }
    return scalar != nullptr ? detail::lane_by_lane(*scalar, name, type) : "";
  }

  HelperTables tables_;
  std::mutex mutex_{};
  HashMap<std::string, UniquePtr<Definition>> known_{};  ///< Null: not a helper.
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
