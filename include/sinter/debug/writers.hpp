#pragma once
// CsvWriter and SummaryWriter: what a training measures, as a table and for TensorBoard.

#include <concepts>     // std::integral
#include <cstddef>      // std::size_t
#include <cstdint>      // std::int64_t
#include <cstdio>       // std::FILE
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/base/process_mutex.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

/// A file that grows: what is written is there for readers at once, and survives a crash.
class AppendFile {
 public:
  /// Opens `path`, a new file or with `append` the end of an old one; its folder is made if it is
  /// missing. Throws IoError, in the name of `op`, if that fails.
  AppendFile(std::string op, std::string path, bool append, Where where);
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;
  ~AppendFile();

  const std::string& path() const { return path_; }
  /// Whether nothing has been written to it, before either.
  bool is_empty() const;
  /// Throws IoError, for want of space for instance.
  void write(std::string_view bytes);

 private:
  [[noreturn]] void fail(std::string_view what) const;

  std::string op_, path_;
  Where where_;
  std::FILE* file_ = nullptr;
};

}  // namespace sinter::inline SINTER_ABI::detail::debug

namespace sinter::inline SINTER_ABI {

/// A cell of a row: a number, written so that it reads back as the same, or a text.
class CsvCell {
 public:
  CsvCell(float number);
  CsvCell(double number);
  CsvCell(std::integral auto number) : text_(std::to_string(number)) {}
  CsvCell(std::string_view text);
  CsvCell(const char* text) : CsvCell(std::string_view(text)) {}
  CsvCell(const std::string& text) : CsvCell(std::string_view(text)) {}

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Writes rows to a file, as RFC 4180 has it; a row is complete in the file when row() returns.
class CsvWriter {
 public:
  enum class Open : unsigned char { anew, append };

  /// A file at `path` with a first line of `columns`; with `append` a file that has lines gets no
  /// further line of columns. Folders are made. Throws IoError.
  CsvWriter(std::string path, std::vector<std::string> columns, Open open = Open::anew,
            Where where = Where::current());

  /// Throws ValueError unless there is a cell for each column; IoError.
  void row(const std::vector<CsvCell>& cells, Where where = Where::current());

 private:
  std::size_t columns_;
  detail::debug::AppendFile file_;
};

/// Writes an event file of TensorBoard into a folder: `tensorboard --logdir runs`. Each writer has
/// a file of its own, so that several runs, or processes, may share a folder. Thread-safe; what was
/// added is in the file when the function returns.
class SummaryWriter {
 public:
  /// Throws IoError if no file can be made in `folder`, which is made if it is missing.
  explicit SummaryWriter(const std::string& folder = "runs", Where where = Where::current());

  /// The number `value` of `tag`, "loss/train", at a step. A tensor is read: it has one element.
  void add_scalar(std::string_view tag, double value, std::int64_t step);
  void add_scalar(std::string_view tag, const Tensor& value, std::int64_t step,
                  Where where = Where::current());
  /// How the elements of `values` are distributed, in 30 bins of equal width. Elements that are
  /// not finite are left out; where there are no others, nothing is written.
  void add_histogram(std::string_view tag, const Tensor& values, std::int64_t step,
                     Where where = Where::current());
  /// An image [channels, height, width] of 1, 3 or 4 channels: u8, or floating in [0, 1]. Throws
  /// ShapeError and DTypeError for others.
  void add_image(std::string_view tag, const Tensor& image, std::int64_t step,
                 Where where = Where::current());
  /// A text, in Markdown.
  void add_text(std::string_view tag, std::string_view text, std::int64_t step);

  const std::string& path() const { return file_.path(); }

 private:
  void add(std::string_view tag, std::string_view value, std::int64_t step);

  detail::ProcessMutex mutex_{};
  detail::debug::AppendFile file_;
};

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/writers.ipp>
#endif
