#pragma once
// HostWork: what profiles count the time of a host function as.

#include <cstdint>  // std::uint8_t

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

enum class HostWork : std::uint8_t {
  compute,
  collective,  ///< Ranks communicate, and the caller waits for them.
  background,  ///< Ranks communicate, and the caller goes on.
  wait         ///< The caller waits for what runs in the background.
};

}  // namespace sinter::inline SINTER_ABI::detail
