#pragma once
// SummaryWriter: scalars, histograms, images and texts for TensorBoard, with torch's words.

#include <cstdint>      // std::int64_t
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/process_mutex.hpp>
#include <sinter/config.hpp>
#include <sinter/debug/append_file.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

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
#include <sinter/debug/summary_writer.ipp>
#endif
