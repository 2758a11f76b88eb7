#pragma once
// Open files and temporary directories, closed and removed at the end.

#include <optional>     // std::optional
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <utility>      // std::exchange

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

/// An open file, closed at the end.
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

/// A file without a name, in memory where the system can; it is gone when it is closed.
File anonymous_file(std::string_view content = {});

/// Writes all of `content`; false, with errno set, if it does not fit.
bool write_all(const File& file, std::string_view content);

/// Makes a file that only this user can read; false, with errno set, if it exists or does not fit.
bool write_file(const std::string& path, std::string_view content);

/// The same file under a number above 2: handing it to a child then overwrites no other one.
File above_standard_streams(File file);

/// All that `file` holds, from its first byte; nothing if it cannot be read.
std::optional<std::string> read_all(const File& file);

/// A directory of one's own below TMPDIR or /tmp, or, if that cannot be written, /var/tmp or
/// /dev/shm; removed with all that is in it.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();

  /// Empty if the directory could not be made.
  const std::string& path() const { return path_; }
  /// Leaves the directory where it is, for people to look at.
  void keep();

 private:
  std::string path_{};
  File lock_{};  // says that the process lives: the next one removes what was left behind
  bool kept_ = false;
};

namespace detail {
/// Removes the temporary directories in `root` that killed processes have left there.
void remove_abandoned(const std::string& root);
}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::compiler

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/unit/temporary_file.ipp>
#endif
