#pragma once
// RAII for open files and temporary directories.

#include <string>       // std::string
#include <string_view>  // std::string_view
#include <utility>      // std::exchange

#include <sinter/base/container/optional.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

/// An owned file descriptor.
class File {
 public:
  File() = default;
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~File() { close(); }

  explicit operator bool() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  void close();

 private:
  int descriptor_ = -1;
};

/// An unnamed file, in memory if possible; closing deletes it.
File anonymous_file(std::string_view content = {});

/// Writes all of `content`; false, with errno set, on failure.
bool write_all(const File& file, std::string_view content);

/// Creates a file that only this user can read; false, with errno set, if it exists or on failure.
bool write_file(const std::string& path, std::string_view content);

/// Moves the file to a descriptor above 2, so that a child's standard streams do not overwrite it.
File above_standard_streams(File file);

/// The whole content of `file`; nullopt if it cannot be read.
Optional<std::string> read_all(const File& file);

/// A private directory in TMPDIR or /tmp, or, if that cannot be written, in /var/tmp or /dev/shm.
/// The destructor removes it with its files.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();

  /// Empty if the directory could not be created.
  const std::string& path() const { return path_; }
  /// Keeps the directory, for inspection.
  void keep();

 private:
  std::string path_{};
  File lock_{};  // held while the process lives; other processes remove unlocked directories
  bool kept_ = false;
};

namespace detail {
/// Removes the temporary directories that killed processes left in `root`.
void remove_abandoned(const std::string& root);
}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::compiler

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/unit/temporary_file.ipp>
#endif
