#pragma once

#include <csetjmp>  // setjmp
#include <cstdio>   // FILE, which jpeglib.h takes for granted

#if __has_include(<jpeglib.h>)
#define boolean sinter_jpeg_boolean  // the name of a dtype, which jpeglib.h uses for a type
#include <jpeglib.h>
// clang-format off
#include <jerror.h>
// clang-format on
#undef boolean
#endif

#include <sinter/data/jpeg.hpp>
#include <sinter/device/host/shared_library.hpp>

namespace sinter::inline SINTER_ABI::data::detail {

SINTER_INLINE bool is_jpeg(const FileBytes& file) {
  return file.bytes.size() >= 3 && file.bytes[0] == 0xFF && file.bytes[1] == 0xD8 &&
         file.bytes[2] == 0xFF;
}

#if __has_include(<jpeglib.h>)

// The functions of libjpeg that are called. It checks version and size of the structures.
struct JpegLibrary {
  decltype(&::jpeg_std_error) std_error = nullptr;
  decltype(&::jpeg_CreateDecompress) create = nullptr;
  decltype(&::jpeg_mem_src) mem_src = nullptr;
  decltype(&::jpeg_read_header) read_header = nullptr;
  decltype(&::jpeg_start_decompress) start = nullptr;
  decltype(&::jpeg_read_scanlines) read_scanlines = nullptr;
  decltype(&::jpeg_finish_decompress) finish = nullptr;
  decltype(&::jpeg_destroy_decompress) destroy = nullptr;

  static constexpr const char* name = JPEG_LIB_VERSION >= 80 ? "libjpeg.so.8" : "libjpeg.so.62";
  sinter::detail::SharedLibrary library{std::initializer_list<std::string>{name}};
  bool is_complete = library && library.find("jpeg_std_error", std_error) &&
                     library.find("jpeg_CreateDecompress", create) &&
                     library.find("jpeg_mem_src", mem_src) &&
                     library.find("jpeg_read_header", read_header) &&
                     library.find("jpeg_start_decompress", start) &&
                     library.find("jpeg_read_scanlines", read_scanlines) &&
                     library.find("jpeg_finish_decompress", finish) &&
                     library.find("jpeg_destroy_decompress", destroy);
};

// A file that is read. libjpeg reports errors by a call that must not return: it jumps to the last
// setjmp, past functions of C and those below, which have no objects to destroy.
struct JpegJob {
  jpeg_decompress_struct state{};
  jpeg_error_mgr errors{};
  std::jmp_buf jump{};
  char message[JMSG_LENGTH_MAX] = "";

  [[noreturn]] static void fail(j_common_ptr state) {
    JpegJob& job = *static_cast<JpegJob*>(state->client_data);
    job.errors.format_message(state, job.message);
    std::longjmp(job.jump, 1);
  }
  // Warnings of missing data are errors; others, such as of superfluous bytes, are harmless.
  static void warn(j_common_ptr state, int level) {
    const int code = state->err->msg_code;
    if (level < 0 && (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER)) fail(state);
  }
};

SINTER_INLINE bool read_jpeg_header(const JpegLibrary& jpeg, JpegJob& job, const FileBytes& file,
                                    bool as_rgb) {
  if (setjmp(job.jump) != 0) return false;
  job.state.err = jpeg.std_error(&job.errors);
  job.errors.error_exit = JpegJob::fail;
  job.errors.emit_message = JpegJob::warn;
  job.state.client_data = &job;
  jpeg.create(&job.state, JPEG_LIB_VERSION, sizeof(job.state));
  jpeg.mem_src(&job.state, const_cast<unsigned char*>(file.bytes.data()),
               static_cast<unsigned long>(file.bytes.size()));
  jpeg.read_header(&job.state, TRUE);
  const bool is_grey = job.state.num_components == 1 && !as_rgb;
  job.state.out_color_space = is_grey ? JCS_GRAYSCALE : JCS_RGB;
  return true;
}

SINTER_INLINE bool read_jpeg_rows(const JpegLibrary& jpeg, JpegJob& job, Pixels& pixels) {
  if (setjmp(job.jump) != 0) return false;
  jpeg.start(&job.state);
  while (job.state.output_scanline < job.state.output_height) {
    JSAMPROW row = pixels.bytes.data() + job.state.output_scanline * pixels.row_bytes();
    jpeg.read_scanlines(&job.state, &row, 1);
  }
  jpeg.finish(&job.state);
  return true;
}

SINTER_INLINE Pixels read_jpeg(const FileBytes& file, bool as_rgb) {
  static const auto& jpeg = *new JpegLibrary;  // used until the process ends
  if (!jpeg.is_complete) {
    refuse_without(file.access, JpegLibrary::name, jpeg.library.reason(),
                   "install it: apt-get install libjpeg62-turbo, or libjpeg-turbo8 on Ubuntu");
  }
  Pixels pixels;
  JpegJob job;
  bool is_read = read_jpeg_header(jpeg, job, file, as_rgb);
  const bool is_cmyk = is_read && job.state.num_components == 4;
  if (is_read && !is_cmyk) {
    pixels.width = job.state.image_width;
    pixels.height = job.state.image_height;
    pixels.channels = job.state.out_color_space == JCS_GRAYSCALE ? 1 : 3;
    pixels.bytes.resize(pixels.row_bytes() * pixels.height);
    is_read = read_jpeg_rows(jpeg, job, pixels);
  }
  jpeg.destroy(&job.state);
  if (!is_read) refuse_damaged(file.access, "JPEG", job.message);
  if (is_cmyk) {
    sinter::detail::disk::refuse(file.access, {.what = "the JPEG file is in CMYK",
                                               .rule = "images are grey or RGB",
                                               .fix = "convert it to RGB"});
  }
  return pixels;
}

#else

SINTER_INLINE Pixels read_jpeg(const FileBytes& file, bool) {
  refuse_without(file.access, "jpeglib.h", "sinter was compiled without it",
                 "compile again after apt-get install libjpeg-dev");
}

#endif

}  // namespace sinter::inline SINTER_ABI::data::detail
