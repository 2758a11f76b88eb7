#pragma once

#include <sys/stat.h>     // mkdir, fstat
#include <sys/utsname.h>  // uname
#include <unistd.h>       // getpid

#include <algorithm>  // std::clamp, std::minmax_element
#include <atomic>     // std::atomic
#include <cerrno>     // errno
#include <chrono>     // std::chrono::system_clock
#include <cmath>      // std::isfinite, std::nextafter
#include <cstring>    // std::memcpy, std::strerror
#include <mutex>      // std::lock_guard
#include <vector>     // std::vector

#include <sinter/base/error.hpp>
#include <sinter/base/text.hpp>
#include <sinter/debug/writers.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

// Makes the folder of `path`, and those above it.
SINTER_INLINE void make_folder_of(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    mkdir(path.substr(0, slash).c_str(), 0777);  // the file says what failed
  }
}

SINTER_INLINE AppendFile::AppendFile(std::string op, std::string path, bool append, Where where)
    : op_(std::move(op)), path_(std::move(path)), where_(where) {
  make_folder_of(path_);
  file_ = std::fopen(path_.c_str(), append ? "ae" : "we");
  if (file_ == nullptr) fail("the file cannot be opened");
}

SINTER_INLINE AppendFile::~AppendFile() {
  if (file_ != nullptr) std::fclose(file_);
}

SINTER_INLINE bool AppendFile::is_empty() const {
  struct stat info {};
  return fstat(fileno(file_), &info) == 0 && info.st_size == 0;
}

SINTER_INLINE void AppendFile::write(std::string_view bytes) {
  const bool done = std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size();
  if (std::fflush(file_) != 0 || !done) fail("the file cannot be written");
}

SINTER_INLINE void AppendFile::fail(std::string_view what) const {
  throw IoError({.op = op_,
                 .what = std::string(what),
                 .facts = {{"file", path_}, {"reason", std::strerror(errno)}},
                 .fix = "write to a folder of your own that has room",
                 .where = where_});
}

}  // namespace sinter::inline SINTER_ABI::detail::debug

namespace sinter::inline SINTER_ABI {

namespace detail::debug {

SINTER_INLINE std::string csv_text(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

SINTER_INLINE std::string csv_line(const std::vector<CsvCell>& cells) {
  std::string result;
  for (const CsvCell& cell : cells) result += (&cell == cells.data() ? "" : ",") + cell.text();
  return result + "\r\n";
}

}  // namespace detail::debug

SINTER_INLINE CsvCell::CsvCell(float number) : text_(detail::text(number)) {}
SINTER_INLINE CsvCell::CsvCell(double number) : text_(detail::text(number)) {}
SINTER_INLINE CsvCell::CsvCell(std::string_view text) : text_(detail::debug::csv_text(text)) {}

SINTER_INLINE CsvWriter::CsvWriter(std::string path, std::vector<std::string> columns, Open open,
                                   Where where)
    : columns_(columns.size()), file_("CsvWriter", std::move(path), open == Open::append, where) {
  if (file_.is_empty()) {
    file_.write(detail::debug::csv_line(std::vector<CsvCell>(columns.begin(), columns.end())));
  }
}

SINTER_INLINE void CsvWriter::row(const std::vector<CsvCell>& cells, Where where) {
  if (cells.size() != columns_) {
    throw ValueError({.op = "CsvWriter::row",
                      .what = "the row does not fit the columns",
                      .facts = {{"cells", std::to_string(cells.size())},
                                {"columns", std::to_string(columns_)},
                                {"file", file_.path()}},
                      .rule = "a row has a cell for each column",
                      .fix = "pass as many cells as columns; \"\" is an empty one",
                      .where = where});
  }
  file_.write(detail::debug::csv_line(cells));
}

namespace detail::events {

// A CRC, reflected, of a polynomial: 0x82f63b78 is crc32c, of records; 0xedb88320 that of PNG.
SINTER_INLINE std::uint32_t crc(std::uint32_t polynomial, std::string_view bytes) {
  std::uint32_t result = ~0u;
  for (const char c : bytes) {
    result ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) result = result >> 1 ^ (result & 1 ? polynomial : 0);
  }
  return ~result;
}

// Appends the bytes of `value`, the lowest first.
template <class T>
void put(std::string& out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

// The checksum of TFRecord files: rotated, so that the checksum of a checksum is another.
SINTER_INLINE std::uint32_t masked_crc(std::string_view bytes) {
  const std::uint32_t value = crc(0x82f63b78u, bytes);
  return (value >> 15 | value << 17) + 0xa282ead8u;
}

// A record of a TFRecord file.
SINTER_INLINE std::string record_of(std::string_view data) {
  std::string length;
  put(length, static_cast<std::uint64_t>(data.size()));
  std::string result = length;
  put(result, masked_crc(length));
  result += data;
  put(result, masked_crc(data));
  return result;
}

// A message of protocol buffers that is being written: field numbers are those of TensorFlow's
// event.proto and summary.proto.
class Message {
 public:
  Message& integer(int field, std::int64_t value) {
    key(field, 0);
    varint(static_cast<std::uint64_t>(value));
    return *this;
  }
  Message& number(int field, double value) {
    key(field, 1);
    put(bytes_, value);
    return *this;
  }
  Message& number(int field, float value) {
    key(field, 5);
    put(bytes_, value);
    return *this;
  }
  Message& bytes(int field, std::string_view value) {
    key(field, 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(int field, const Message& value) { return bytes(field, value.bytes_); }
  Message& numbers(int field, const std::vector<double>& values) {
    std::string packed;
    for (const double value : values) put(packed, value);
    return bytes(field, packed);
  }
  const std::string& text() const { return bytes_; }

 private:
  void key(int field, unsigned kind) { varint(static_cast<std::uint64_t>(field) << 3 | kind); }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_{};
};

SINTER_INLINE Message event() {
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  Message result;
  result.number(1, now.count());
  return result;
}

SINTER_INLINE std::string new_path(const std::string& folder) {
  static auto& count = *new std::atomic<int>(0);
  utsname machine{};
  uname(&machine);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now).count();
  return text(folder, "/events.out.tfevents.", seconds, ".", machine.nodename, ".", getpid(), ".",
              count++);
}

// A chunk of a PNG file.
SINTER_INLINE std::string chunk(std::string_view kind, std::string_view data) {
  const auto big = [](std::size_t value) {
    std::string result;
    for (int shift = 24; shift >= 0; shift -= 8) result += static_cast<char>(value >> shift);
    return result;
  };
  const std::string content = text(kind, data);
  return text(big(data.size()), content, big(crc(0xedb88320u, content)));
}

// `data` in the format of zlib, not compressed.
SINTER_INLINE std::string stored(std::string_view data) {
  constexpr std::size_t most = 65535;
  std::string result = "\x78\x01";
  std::uint32_t a = 1, b = 0;
  for (const char c : data) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  do {
    const std::string_view part = data.substr(0, most);
    data.remove_prefix(part.size());
    const auto size = static_cast<std::uint16_t>(part.size());
    result += static_cast<char>(data.empty());
    put(result, size);
    put(result, static_cast<std::uint16_t>(~size));
    result += part;
  } while (!data.empty());
  for (const std::uint32_t value : {b >> 8, b, a >> 8, a}) result += static_cast<char>(value);
  return result;
}

// Rows of pixels, each channel a byte, as a PNG file.
SINTER_INLINE std::string png(std::string_view pixels, std::uint32_t width, std::uint32_t height,
                              std::uint32_t channels) {
  std::string head;
  for (const std::uint32_t size : {width, height}) {
    for (int shift = 24; shift >= 0; shift -= 8) head += static_cast<char>(size >> shift);
  }
  const char color = channels == 1 ? 0 : channels == 3 ? 2 : 6;
  head += std::string{8, color, 0, 0, 0};
  std::string rows;
  const std::size_t row = std::size_t{width} * channels;
  for (std::size_t y = 0; y < height; ++y) {
    rows += '\0';  // no filter
    rows += pixels.substr(y * row, row);
  }
  return text("\x89PNG\r\n\x1a\n", chunk("IHDR", head), chunk("IDAT", stored(rows)),
              chunk("IEND", ""));
}

// The elements as doubles.
SINTER_INLINE std::vector<double> elements_as_doubles(const Tensor& values, Where where) {
  return values.to(f64, where).to_vector<double>(where);
}

// The bytes of the pixels of an image, channels last.
SINTER_INLINE std::string pixels_of(const Tensor& image, Where where) {
  const std::int64_t channels = image.size(0).number(), pixels = image.numel().number() / channels;
  const bool floating = is_floating(image.dtype(where));
  const std::vector<double> values = elements_as_doubles(image, where);
  std::string result;
  for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
    for (std::int64_t channel = 0; channel < channels; ++channel) {
      const double value = values[static_cast<std::size_t>(channel * pixels + pixel)];
      const double scaled = floating ? 255 * std::clamp(value, 0.0, 1.0) + 0.5 : value;
      result += static_cast<char>(static_cast<unsigned char>(value != value ? 0 : scaled));
    }
  }
  return result;
}

SINTER_INLINE void require_image(const Tensor& image, Where where) {
  const auto report = [&](std::string what) {
    return Report{.op = "SummaryWriter::add_image",
                  .what = std::move(what),
                  .facts = {{"image", to_string(image)}},
                  .rule =
                      "an image is [channels, height, width], of 1, 3 or 4 channels, and u8 or "
                      "floating in [0, 1]",
                  .fix = "permute it, or convert it with .to(f32)",
                  .where = where};
  };
  if (image.ndim(where) != 3) throw ShapeError(report("an image has three dimensions"));
  const std::int64_t channels = image.size(0).number();
  if (channels != 1 && channels != 3 && channels != 4) {
    throw ShapeError(report("an image has 1, 3 or 4 channels"));
  }
  if (image.dtype() != u8 && !is_floating(image.dtype())) {
    throw DTypeError(report("the dtype is none of images"));
  }
}

// The HistogramProto of the finite `values`; at least one has to be finite.
SINTER_INLINE Message histogram(const std::vector<double>& values) {
  constexpr std::size_t bins = 30;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double first = *low, width = (*high - first) / bins;
  double sum = 0, squares = 0;
  std::vector<double> limits(bins), counts(bins);
  for (std::size_t i = 0; i < bins; ++i) limits[i] = first + width * static_cast<double>(i + 1);
  limits.back() = *high;
  for (const double value : values) {
    sum += value;
    squares += value * value;
    const double bin = width > 0 ? (value - first) / width : 0;
    counts[std::min(static_cast<std::size_t>(bin), bins - 1)] += 1;
  }
  if (!(width > 0)) {  // one number: a bin of its own
    limits = {first, std::nextafter(first, INFINITY)};
    counts = {0, static_cast<double>(values.size())};
  }
  Message result;
  result.number(1, first).number(2, *high).number(3, static_cast<double>(values.size()));
  result.number(4, sum).number(5, squares).numbers(6, limits).numbers(7, counts);
  return result;
}

}  // namespace detail::events

SINTER_INLINE SummaryWriter::SummaryWriter(const std::string& folder, Where where)
    : file_("SummaryWriter", detail::events::new_path(folder), false, where) {
  file_.write(detail::events::record_of(detail::events::event().bytes(3, "brain.Event:2").text()));
}

// `value` is a Summary.Value without its tag.
SINTER_INLINE void SummaryWriter::add(std::string_view tag, std::string_view value,
                                      std::int64_t step) {
  detail::events::Message named;
  named.bytes(1, tag);
  detail::events::Message summary;
  summary.bytes(1, named.text() + std::string(value));
  const std::string event = detail::events::event().integer(2, step).message(5, summary).text();
  const std::lock_guard lock(mutex_);
  file_.write(detail::events::record_of(event));
}

SINTER_INLINE void SummaryWriter::add_scalar(std::string_view tag, double value,
                                             std::int64_t step) {
  add(tag, detail::events::Message().number(2, static_cast<float>(value)).text(), step);
}

SINTER_INLINE void SummaryWriter::add_scalar(std::string_view tag, const Tensor& value,
                                             std::int64_t step, Where where) {
  add_scalar(tag, value.item<double>(where), step);
}

SINTER_INLINE void SummaryWriter::add_histogram(std::string_view tag, const Tensor& values,
                                                std::int64_t step, Where where) {
  std::vector<double> finite = detail::events::elements_as_doubles(values, where);
  std::erase_if(finite, [](double value) { return !std::isfinite(value); });
  if (finite.empty()) return;
  add(tag, detail::events::Message().message(5, detail::events::histogram(finite)).text(), step);
}

SINTER_INLINE void SummaryWriter::add_image(std::string_view tag, const Tensor& image,
                                            std::int64_t step, Where where) {
  detail::events::require_image(image, where);
  const auto size = [&](int dim) { return static_cast<std::uint32_t>(image.size(dim).number()); };
  detail::events::Message encoded;
  encoded.integer(1, size(1)).integer(2, size(2)).integer(3, size(0));
  encoded.bytes(
      4, detail::events::png(detail::events::pixels_of(image, where), size(2), size(1), size(0)));
  add(tag, detail::events::Message().message(4, encoded).text(), step);
}

// A tensor of one string, with the metadata by which TensorBoard knows a text.
SINTER_INLINE void SummaryWriter::add_text(std::string_view tag, std::string_view text,
                                           std::int64_t step) {
  constexpr int strings = 7;  // DT_STRING
  detail::events::Message plugin, metadata, dim, shape, tensor, value;
  plugin.bytes(1, "text");
  metadata.message(1, plugin);
  dim.integer(1, 1);
  shape.message(2, dim);
  tensor.integer(1, strings).message(2, shape).bytes(8, text);
  value.message(8, tensor).message(9, metadata);
  add(std::string(tag) + "/text_summary", value.text(), step);
}

}  // namespace sinter::inline SINTER_ABI
