#pragma once
// What computes a custom operation.

#include <string>  // std::string

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/custom/custom_rules.hpp>
#include <sinter/graph/custom/raw_tensor.hpp>
#include <sinter/graph/custom/user_function.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

class StreamKernel;

/// What all nodes of a custom operation share.
struct CustomCode {
  std::string name{};                            ///< "shop::discount"
  SharedPtr<const HostKernel> call{};            ///< Null if the operation has none.
  SharedPtr<const StreamKernel> on_stream{};     ///< Its form on a GPU; null if it has none.
  std::string cpp{}, cuda{};                     ///< Texts; empty if the operation has none.
  UserFunction cpp_function{}, cuda_function{};  ///< What they define.
  SharedPtr<const CustomRules> rules{};  ///< Instead of a reference and a backward; null if none.
  bool has_side_effects = false;  ///< Each node is called, although nobody reads its results.
  Where where{};                  ///< The line of custom_op().
  Hash identity{};   ///< Of all that a node computes; if it has a `call`, in this process only.
  Hash text_hash{};  ///< Of the name and the texts, the same in every process.
};

/// SINTER_CHECK: whether kernels of custom operations get guarded memory, and their results are
/// compared with the reference. Tests may set it.
bool& checks_custom();

/// Whether this program can call and compile custom operations; jit/parts.hpp sets it.
inline bool& has_custom_operations() {
  static bool result = false;
  return result;
}

/// "user_1a2b3c4d", of the texts: the namespace of the text in kernels.
std::string user_function_name(const CustomCode& code);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/graph/custom/custom_code.ipp>
#endif
