#pragma once
// Facts about the operating system: its package manager, users, folders and their space.

#include <cstdint>      // std::uint64_t
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

/// The value of `name` in a file of lines NAME=value or NAME="value", such as /etc/os-release.
std::string value_in(std::string_view lines, std::string_view name);

/// The content of a file, or of a file of /proc, up to 64 KiB; "" if it cannot be read.
std::string small_file(const std::string& path);

/// "alice (uid 1000)", or "uid 1000" if /etc/passwd has no such user.
std::string user_text(unsigned id);

/// "1.5 GiB", "300 KiB", "12 bytes".
std::string bytes_text(std::uint64_t bytes);

/// `path` as a word of a shell.
std::string quoted(const std::string& path);

/// Packages by what they have; every distribution calls them otherwise.
enum class Package : unsigned char { compiler, nvidia_driver };

/// The command that installs `package` on the system that `os_release` describes, with sudo for
/// users other than root; a sentence for unknown systems.
std::string install_command(Package package, std::string_view os_release, bool root);

/// Space of the file system that has `path`, or has the nearest folder above it that exists.
struct Space {
  bool known = false;
  std::uint64_t free = 0, total = 0;  ///< Bytes; free: for this user.
};
Space space_of(std::string path);

/// The reason why `bytes` bytes cannot be written into a new file of `folder`; "" if they can.
std::string why_not_writable(const std::string& folder, std::size_t bytes);

/// Whether `folder`, or the folder that would contain it, can hold a disk cache of this user.
bool can_hold_cache(const std::string& folder);

/// A folder that does not exist yet, or is this user's, and that has room for a disk cache; never
/// `besides`. "" if there is none.
std::string cache_folder_with_room(const std::string& besides);

/// Whether a PCI device of this machine is a GPU of NVIDIA, or its kernel module is loaded.
bool has_nvidia_device();

/// Whether this process runs in a container of Docker, Podman or Kubernetes.
bool in_container();

}  // namespace sinter::inline SINTER_ABI::detail::debug

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/machine/system.ipp>
#endif
