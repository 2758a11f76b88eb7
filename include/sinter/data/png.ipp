#pragma once

#include <csetjmp>  // setjmp
#include <cstdint>  // std::uint32_t
#include <cstdio>   // std::snprintf
#include <cstring>  // std::memcpy

#include <sinter/data/png.hpp>
#include <sinter/device/host/shared_library.hpp>

namespace sinter::inline SINTER_ABI::data::detail {

// The functions of libpng16 that are called. Its structures are opaque, so that no header is
// needed.
struct PngLibrary {
  using Names = std::initializer_list<std::string>;
  using Png = void*;
  using Info = void*;
  using Message = void(Png, const char*);
  using Transfer = void(Png, unsigned char*, std::size_t);

  const char* (*get_libpng_ver)(Png) = nullptr;
  Png (*create_read_struct)(const char*, void*, Message*, Message*) = nullptr;
  Png (*create_write_struct)(const char*, void*, Message*, Message*) = nullptr;
  Info (*create_info_struct)(Png) = nullptr;
  void (*destroy_read_struct)(Png*, Info*, Info*) = nullptr;
  void (*destroy_write_struct)(Png*, Info*) = nullptr;
  void* (*get_error_ptr)(Png) = nullptr;
  void (*set_read_fn)(Png, void*, Transfer*) = nullptr;
  void (*set_write_fn)(Png, void*, Transfer*, void (*)(Png)) = nullptr;
  void (*read_info)(Png, Info) = nullptr;
  void (*set_expand)(Png) = nullptr;
  void (*set_scale_16)(Png) = nullptr;
  void (*set_gray_to_rgb)(Png) = nullptr;
  void (*set_strip_alpha)(Png) = nullptr;
  int (*set_interlace_handling)(Png) = nullptr;
  void (*read_update_info)(Png, Info) = nullptr;
  std::uint32_t (*get_image_width)(Png, Info) = nullptr;
  std::uint32_t (*get_image_height)(Png, Info) = nullptr;
  unsigned char (*get_channels)(Png, Info) = nullptr;
  void (*read_image)(Png, unsigned char**) = nullptr;
  void (*read_end)(Png, Info) = nullptr;
  void (*set_IHDR)(Png, Info, std::uint32_t, std::uint32_t, int, int, int, int, int) = nullptr;
  void (*write_info)(Png, Info) = nullptr;
  void (*write_row)(Png, const unsigned char*) = nullptr;
  void (*write_end)(Png, Info) = nullptr;

  sinter::detail::SharedLibrary library{Names{"libpng16.so.16", "libpng16.so"}};
  bool is_complete = false;

  PngLibrary() { is_complete = library && find_reader() && find_writer(); }

 private:
  bool find_reader() {
    return library.find("png_get_libpng_ver", get_libpng_ver) &&
           library.find("png_create_read_struct", create_read_struct) &&
           library.find("png_create_info_struct", create_info_struct) &&
           library.find("png_destroy_read_struct", destroy_read_struct) &&
           library.find("png_get_error_ptr", get_error_ptr) &&
           library.find("png_set_read_fn", set_read_fn) &&
           library.find("png_read_info", read_info) && library.find("png_set_expand", set_expand) &&
           library.find("png_set_scale_16", set_scale_16) &&
           library.find("png_set_gray_to_rgb", set_gray_to_rgb) &&
           library.find("png_set_strip_alpha", set_strip_alpha) &&
           library.find("png_set_interlace_handling", set_interlace_handling) &&
           library.find("png_read_update_info", read_update_info) &&
           library.find("png_get_image_width", get_image_width) &&
           library.find("png_get_image_height", get_image_height) &&
           library.find("png_get_channels", get_channels) &&
           library.find("png_read_image", read_image) && library.find("png_read_end", read_end);
  }
  bool find_writer() {
    return library.find("png_create_write_struct", create_write_struct) &&
           library.find("png_destroy_write_struct", destroy_write_struct) &&
           library.find("png_set_write_fn", set_write_fn) &&
           library.find("png_set_IHDR", set_IHDR) && library.find("png_write_info", write_info) &&
           library.find("png_write_row", write_row) && library.find("png_write_end", write_end);
  }
};

SINTER_INLINE const PngLibrary& loaded_png() {
  static const auto& library = *new PngLibrary;  // used until the process ends
  return library;
}

SINTER_INLINE const PngLibrary& png_library(const Access& access) {
  const PngLibrary& library = loaded_png();
  if (library.is_complete) return library;
  const std::string& reason = library.library.reason();
  refuse_without(access, "libpng16", reason.empty() ? "it lacks functions" : reason,
                 "install it: apt-get install libpng16-16");
}

// A file that is read or written. libpng reports errors by a call that must not return: it jumps to
// the last setjmp, past functions of C and those below, which have no objects to destroy.
struct PngJob {
  void* handle = nullptr;
  void* info = nullptr;
  std::jmp_buf jump{};
  char message[160] = "";
  const unsigned char* input = nullptr;  ///< What has not been read yet.
  std::size_t left = 0;
  std::vector<unsigned char>* output = nullptr;

  static PngJob& of(void* handle) {
    return *static_cast<PngJob*>(loaded_png().get_error_ptr(handle));
  }
  [[noreturn]] static void fail(void* handle, const char* text) {
    PngJob& job = of(handle);
    std::snprintf(job.message, sizeof(job.message), "%s", text);
    std::longjmp(job.jump, 1);
  }
  static void ignore(void*, const char*) {}
  static void read(void* handle, unsigned char* to, std::size_t count) {
    PngJob& job = of(handle);
    if (count > job.left) fail(handle, "the file ends early");
    std::memcpy(to, job.input, count);
    job.input += count;
    job.left -= count;
  }
  static void write(void* handle, unsigned char* from, std::size_t count) {
    std::vector<unsigned char>& output = *of(handle).output;
    output.insert(output.end(), from, from + count);
  }
  static void flush(void*) {}
};

// Reads what is before the pixels. False after an error.
SINTER_INLINE bool read_png_header(const PngLibrary& png, PngJob& job, Pixels& pixels,
                                   bool as_rgb) {
  if (setjmp(job.jump) != 0) return false;
  png.set_read_fn(job.handle, nullptr, PngJob::read);
  png.read_info(job.handle, job.info);
  png.set_expand(job.handle);
  png.set_scale_16(job.handle);
  if (as_rgb) {
    png.set_gray_to_rgb(job.handle);
    png.set_strip_alpha(job.handle);
  }
  png.set_interlace_handling(job.handle);
  png.read_update_info(job.handle, job.info);
  pixels.width = png.get_image_width(job.handle, job.info);
  pixels.height = png.get_image_height(job.handle, job.info);
  pixels.channels = png.get_channels(job.handle, job.info);
  return true;
}

SINTER_INLINE bool read_png_rows(const PngLibrary& png, PngJob& job, unsigned char** rows) {
  if (setjmp(job.jump) != 0) return false;
  png.read_image(job.handle, rows);
  png.read_end(job.handle, nullptr);
  return true;
}

SINTER_INLINE bool write_png_rows(const PngLibrary& png, PngJob& job, const Pixels& pixels) {
  static constexpr int color_types[]{0, 4, 2, 6};  // of 1 to 4 channels
  if (setjmp(job.jump) != 0) return false;
  png.set_write_fn(job.handle, nullptr, PngJob::write, PngJob::flush);
  png.set_IHDR(job.handle, job.info, static_cast<std::uint32_t>(pixels.width),
               static_cast<std::uint32_t>(pixels.height), 8, color_types[pixels.channels - 1], 0, 0,
               0);
  png.write_info(job.handle, job.info);
  for (std::size_t y = 0; y < pixels.height; ++y) {
    png.write_row(job.handle, pixels.bytes.data() + y * pixels.row_bytes());
  }
  png.write_end(job.handle, nullptr);
  return true;
}

SINTER_INLINE bool is_png(const FileBytes& file) {
  static constexpr unsigned char start[]{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  return file.bytes.size() >= sizeof(start) &&
         std::memcmp(file.bytes.data(), start, sizeof(start)) == 0;
}

SINTER_INLINE Pixels read_png(const FileBytes& file, bool as_rgb) {
  const PngLibrary& png = png_library(file.access);
  Pixels pixels;
  std::vector<unsigned char*> rows;
  PngJob job;
  job.input = file.bytes.data();
  job.left = file.bytes.size();
  job.handle =
      png.create_read_struct(png.get_libpng_ver(nullptr), &job, PngJob::fail, PngJob::ignore);
  job.info = png.create_info_struct(job.handle);
  bool is_read = read_png_header(png, job, pixels, as_rgb);
  if (is_read) {
    pixels.bytes.resize(pixels.row_bytes() * pixels.height);
    for (std::size_t y = 0; y < pixels.height; ++y) {
      rows.push_back(pixels.bytes.data() + y * pixels.row_bytes());
    }
    is_read = read_png_rows(png, job, rows.data());
  }
  png.destroy_read_struct(&job.handle, &job.info, nullptr);
  if (!is_read) refuse_damaged(file.access, "PNG", job.message);
  return pixels;
}

SINTER_INLINE std::vector<unsigned char> png_bytes(const Pixels& pixels, const Access& access) {
  const PngLibrary& png = png_library(access);
  std::vector<unsigned char> result;
  PngJob job;
  job.output = &result;
  job.handle =
      png.create_write_struct(png.get_libpng_ver(nullptr), &job, PngJob::fail, PngJob::ignore);
  job.info = png.create_info_struct(job.handle);
  const bool is_written = write_png_rows(png, job, pixels);
  png.destroy_write_struct(&job.handle, &job.info);
  if (!is_written) refuse_damaged(access, "PNG", job.message);
  return result;
}

}  // namespace sinter::inline SINTER_ABI::data::detail
