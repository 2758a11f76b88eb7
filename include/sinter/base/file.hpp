#pragma once
// Files: read at offsets, and replaced as a whole, so that a crash leaves the old one.

#include <cstddef>      // std::size_t
#include <cstdint>      // std::uint64_t
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <utility>      // std::exchange, std::pair
#include <vector>       // std::vector

#include <sinter/base/error.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::disk {

/// The function and path of a file access, for errors.
struct Access {
  std::string op;  ///< The public function that was called.
  std::string path;
  Where where;
};

/// The parts of a Report that describe a problem with a file.
struct Flaw {
  std::string what{};
  std::vector<std::pair<std::string, std::string>> facts{};
  std::string rule{};
  std::string fix = "the file is damaged, or is no such file: write it again";
};

/// Throws IoError.
[[noreturn]] void refuse(const Access& access, Flaw flaw);

/// Text of a file as errors show it: on one line, without control characters, cut if it is long.
std::string shown(std::string_view text);

/// An open file, closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  int number() const { return number_; }

 private:
  int number_ = -1;
};

/// A file open for reading. Its size is determined on opening. It is not memory-mapped, so that a
/// file that shrinks later is an error and not a crash.
class InputFile {
 public:
  /// Throws IoError if there is no such file, or it cannot be read.
  explicit InputFile(Access access);

  const Access& access() const { return access_; }
  std::uint64_t size() const { return size_; }
  /// Throws IoError if the file ends before.
  void read(std::uint64_t offset, void* destination, std::size_t bytes) const;
  std::string read(std::uint64_t offset, std::size_t bytes) const;

 private:
  Access access_;
  Descriptor descriptor_{};
  std::uint64_t size_ = 0;
};

/// Atomic replacement of a file: writes a temporary file next to it, and renames it when complete.
/// Until then, and on failure, the old file is unchanged.
class OutputFile {
 public:
  /// Throws IoError if no file can be created at the path.
  explicit OutputFile(Access access);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Removes an incomplete file.
  ~OutputFile();

  const Access& access() const { return access_; }
  /// Throws IoError, for want of space for instance.
  void write(const void* bytes, std::size_t count);
  void write(std::string_view bytes) { write(bytes.data(), bytes.size()); }
  /// How many bytes were written.
  std::uint64_t size() const { return size_; }
  /// Waits until the bytes are on the disk, then renames. Throws IoError.
  void commit();

 private:
  Access access_;
  std::string target_{};     // the file behind symbolic links
  std::string temporary_{};  // empty once it has its place
  Descriptor descriptor_{};
  std::uint64_t size_ = 0;
};

}  // namespace sinter::inline SINTER_ABI::detail::disk

#ifdef SINTER_DEFINITIONS
#include <sinter/base/file.ipp>
#endif
