#pragma once

#include <dirent.h>       // opendir, readdir, closedir
#include <fcntl.h>        // open
#include <sys/stat.h>     // stat
#include <sys/statvfs.h>  // statvfs
#include <unistd.h>       // geteuid, getpid, unlink, access

#include <algorithm>  // std::min
#include <cerrno>     // errno
#include <cstdio>     // std::fopen, std::snprintf
#include <cstdlib>    // std::getenv
#include <cstring>    // std::strerror
#include <vector>     // std::vector

#include <sinter/base/text.hpp>
#include <sinter/compile/unit/temporary_file.hpp>
#include <sinter/debug/machine/system.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

SINTER_INLINE std::string value_in(std::string_view lines, std::string_view name) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (line.substr(0, name.size()) != name) continue;
    line.remove_prefix(name.size());
    if (line.empty() || line[0] != '=') continue;
    line.remove_prefix(1);
    const bool in_quotes = line.size() >= 2 && line[0] == line.back() && line[0] == '"';
    return std::string(in_quotes ? line.substr(1, line.size() - 2) : line);
  }
  return "";
}

SINTER_INLINE std::string small_file(const std::string& path) {
  std::string result;
  std::FILE* const file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return result;
  result.resize(std::size_t{1} << 16);
  result.resize(std::fread(result.data(), 1, result.size(), file));
  std::fclose(file);
  return result;
}

// getpwuid() would load libraries of the system, which a static program may not have.
SINTER_INLINE std::string user_text(unsigned id) {
  const std::string users = small_file("/etc/passwd");
  const std::string wanted = std::to_string(id);
  for (std::string_view rest = users; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t name = line.find(':');
    const std::size_t password = name == line.npos ? line.npos : line.find(':', name + 1);
    if (password == line.npos) continue;
    const std::string_view number = line.substr(password + 1);
    if (number.substr(0, number.find(':')) == wanted) {
      return text(line.substr(0, name), " (uid ", id, ")");
    }
  }
  return text("uid ", id);
}

SINTER_INLINE std::string bytes_text(std::uint64_t bytes) {
  const char* unit = "bytes";
  double amount = static_cast<double>(bytes);
  for (const char* const larger : {"KiB", "MiB", "GiB", "TiB"}) {
    if (amount < 1024) break;
    amount /= 1024;
    unit = larger;
  }
  char buffer[32];
  const bool whole = amount >= 10 || bytes < 1024;
  std::snprintf(buffer, sizeof(buffer), whole ? "%.0f %s" : "%.1f %s", amount, unit);
  return buffer;
}

SINTER_INLINE std::string quoted(const std::string& path) {
  bool plain = !path.empty();
  for (const char c : path) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    plain &= letter || std::string_view("/._-+").find(c) != std::string_view::npos;
  }
  if (plain) return path;
  std::string result = "'";
  for (const char c : path) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

namespace detail {

// Whether the system is `name`, or is derived from it.
SINTER_INLINE bool is_like(std::string_view os_release, std::string_view name) {
  const std::string like =
      text(" ", value_in(os_release, "ID"), " ", value_in(os_release, "ID_LIKE"), " ");
  return like.find(text(" ", name, " ")) != std::string::npos;
}

struct Installer {
  std::string_view system, compiler, nvidia_driver;
};

// The first row that fits. Ubuntu says that it is like Debian.
inline constexpr Installer installers[] = {
    {"ubuntu", "apt-get update && SUDOapt-get install -y g++", "ubuntu-drivers install"},
    {"debian", "apt-get update && SUDOapt-get install -y g++",
     "apt-get install -y nvidia-driver  # with the component non-free in /etc/apt/sources.list"},
    {"fedora", "dnf install -y gcc-c++", "dnf install -y akmod-nvidia  # of RPM Fusion"},
    {"rhel", "dnf install -y gcc-c++", "dnf module install -y nvidia-driver:latest-dkms"},
    {"suse", "zypper install -y gcc-c++", "zypper install -y nvidia-open-driver-G06-signed-kmp"},
    {"arch", "pacman -S --needed --noconfirm gcc", "pacman -S --needed --noconfirm nvidia"},
    {"alpine", "apk add g++", ""}};

}  // namespace detail

SINTER_INLINE std::string install_command(Package package, std::string_view os_release, bool root) {
  const bool compiler = package == Package::compiler;
  for (const detail::Installer& one : detail::installers) {
    if (!detail::is_like(os_release, one.system)) continue;
    std::string command(compiler ? one.compiler : one.nvidia_driver);
    if (command.empty()) break;
    const std::string_view sudo = root ? "" : "sudo ";
    const std::size_t second = command.find("SUDO");
    if (second != std::string::npos) command.replace(second, 4, sudo);
    return text(sudo, command);
  }
  return compiler ? "install g++ 12 or clang++ 16, or newer, with the packages of this system"
                  : "install the driver of NVIDIA: https://www.nvidia.com/drivers";
}

SINTER_INLINE Space space_of(std::string path) {
  struct statvfs info {};
  while (statvfs(path.c_str(), &info) != 0) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos || path == "/") return {};
    path.resize(std::max<std::size_t>(slash, 1));
  }
  const std::uint64_t block = info.f_frsize;
  return {.known = true, .free = block * info.f_bavail, .total = block * info.f_blocks};
}

SINTER_INLINE std::string why_not_writable(const std::string& folder, std::size_t bytes) {
  const std::string path = text(folder, "/.sinter-doctor-", getpid());
  errno = 0;
  const bool done = compiler::write_file(path, std::string(bytes, ' '));
  const int error = errno;
  unlink(path.c_str());
  return done ? "" : std::strerror(error);
}

SINTER_INLINE bool can_hold_cache(const std::string& folder) {
  constexpr std::uint64_t enough = std::uint64_t{64} << 20;
  struct stat info {};
  if (stat(folder.c_str(), &info) == 0) {
    if (!S_ISDIR(info.st_mode) || info.st_uid != geteuid() || (info.st_mode & 022) != 0) {
      return false;
    }
    return space_of(folder).free >= enough && why_not_writable(folder, 1).empty();
  }
  const std::string parent = folder.substr(0, folder.rfind('/'));
  return space_of(parent).free >= enough && why_not_writable(parent, 1).empty();
}

SINTER_INLINE std::string cache_folder_with_room(const std::string& besides) {
  std::vector<std::string> folders;
  const char* const home = std::getenv("HOME");
  if (home != nullptr && *home == '/') {
    folders.push_back(text(home, "/.cache/sinter"));
    folders.push_back(text(home, "/.sinter-cache"));
  }
  for (const char* const root : {"/var/tmp", "/tmp", "/dev/shm"}) {
    folders.push_back(text(root, "/sinter-", geteuid()));
  }
  for (const std::string& folder : folders) {
    if (folder != besides && can_hold_cache(folder)) return folder;
  }
  return "";
}

SINTER_INLINE bool has_nvidia_device() {
  if (access("/proc/driver/nvidia/version", R_OK) == 0) return true;
  const std::string root = "/sys/bus/pci/devices";
  DIR* const devices = opendir(root.c_str());
  if (devices == nullptr) return false;
  bool found = false;
  while (const dirent* const device = readdir(devices)) {
    const std::string folder = text(root, "/", device->d_name);
    const bool nvidia = small_file(folder + "/vendor").rfind("0x10de", 0) == 0;
    found |= nvidia && small_file(folder + "/class").rfind("0x03", 0) == 0;  // a display controller
  }
  closedir(devices);
  return found;
}

SINTER_INLINE bool in_container() {
  return access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0 ||
         std::getenv("KUBERNETES_SERVICE_HOST") != nullptr;
}

}  // namespace sinter::inline SINTER_ABI::detail::debug
