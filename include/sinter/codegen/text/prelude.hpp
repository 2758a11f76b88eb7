#pragma once
// Collects the helpers that kernels call, directly or through other helpers, by their names.

#include <mutex>          // std::mutex
#include <string>         // std::string
#include <string_view>    // std::string_view

#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/base/source.hpp>
#include <sinter/codegen/text/helper_text.hpp>
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

/// All helpers of a language by name. Each is instantiated once per process. Thread-safe.
class HelperSet {
 public:
  explicit HelperSet(HelperTables tables) : tables_(std::move(tables)) {}

  /// The definitions of all helpers that `kernels` call, each after the helpers that it calls.
  std::string prelude(Span<const Source> kernels);

  /// The hash of the code that is compiled for `kernel`, with the helpers that it calls, but
  /// without its name and its comments, which cite lines of the user.
  Hash code_hash(const Source& kernel);

 private:
  struct Definition {
    std::string text{};
    Vector<const Definition*> calls{};       ///< In order of appearance.
    Hash hash{};                             ///< Of the text and of the helpers that it calls.
  };

  const Definition* find(std::string_view word);
  Vector<const Definition*> find_all(std::string_view text);
  std::string define(std::string_view word) const;
  std::string instance(std::string_view name, const VectorType& type) const;

  HelperTables tables_;
  std::mutex mutex_{};
  HashMap<std::string, UniquePtr<Definition>> known_{};  ///< Null: not a helper.
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/text/prelude.ipp>
#endif
