#pragma once
// RankError: another rank failed.

#include <sinter/base/error.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::dist {

/// Another rank failed, ended, or called another collective. No collective of this World can run
/// any more. The message names the ranks.
struct RankError : UserError {
  using UserError::UserError;
};

}  // namespace sinter::inline SINTER_ABI::dist
