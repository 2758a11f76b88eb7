#pragma once
// The helpers that kernels call: those whose names occur in their texts, and what these need.

#include <memory>         // std::unique_ptr
#include <mutex>          // std::mutex
#include <span>           // std::span
#include <string>         // std::string
#include <string_view>    // std::string_view
#include <unordered_map>  // std::unordered_map
#include <vector>         // std::vector

#include <sinter/base/hash.hpp>
#include <sinter/base/source.hpp>
#include <sinter/codegen/text/helper_text.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The tables of the helpers of a language.
struct HelperTables {
  Language language{};
  std::string_view opening{};  ///< What every prelude begins with.
  std::vector<std::span<const Helper>> tables{};
  /// Each writes a family of helpers from the name; "" for the name of another family.
  std::vector<std::string (*)(std::string_view name, const Laned& type)> families{};
};

/// All helpers of a language by name. Each is written once in a process. Calls may overlap.
class HelperSet {
 public:
  explicit HelperSet(HelperTables tables) : tables_(std::move(tables)) {}

  /// The definitions of all helpers that `kernels` need, each after those that it calls.
  std::string prelude(std::span<const Source> kernels);

  /// The hash of what a compiler reads of `kernel`: its code, and the helpers that it needs. Its
  /// name and its comments, which cite lines of the user, are no part of it.
  Hash code_hash(const Source& kernel);

 private:
  struct Definition {
    std::string text{};
    std::vector<const Definition*> calls{};  ///< In the order in which the text names them.
    Hash hash{};                             ///< Of the text and of what it calls.
  };

  const Definition* find(std::string_view word);
  std::vector<const Definition*> find_all(std::string_view text);
  std::string define(std::string_view word) const;
  std::string instance(std::string_view name, const Laned& type) const;

  HelperTables tables_;
  std::mutex mutex_{};
  std::unordered_map<std::string, std::unique_ptr<Definition>> known_{};  ///< Null: no helper.
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/text/prelude.ipp>
#endif
