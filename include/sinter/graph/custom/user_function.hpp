#pragma once
// The function that the text of a custom operation defines.

#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// A parameter of a user-defined function.
struct UserParameter {
  std::string type{};  ///< Without const, pointer and name: "float", "std::int64_t", "T".
  bool is_pointer = false;
};

/// The function in the text that has the name of the operation.
struct UserFunction {
  std::string name{};    ///< Empty if the text does not define it.
  std::string result{};  ///< "float", "void", "auto"
  std::vector<UserParameter> parameters{};

  /// Whether the function takes values and returns one, so that it can be applied element by
  /// element.
  bool is_elementwise() const { return !name.empty() && result != "void"; }
};

/// "discount", of "shop::discount".
inline std::string_view local_name(std::string_view name) {
  return name.substr(name.rfind(':') + 1);
}

}  // namespace sinter::inline SINTER_ABI::detail
