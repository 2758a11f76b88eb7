#pragma once

#include <algorithm>  // std::min
#include <utility>    // std::move

#include <sinter/base/text.hpp>
#include <sinter/io/formats.hpp>

namespace sinter::inline SINTER_ABI::io {

namespace detail {

[[noreturn]] SINTER_INLINE void refuse_cut(const Access& access, std::uint64_t size,
                                           std::uint64_t announced) {
  refuse(access, {.what = "the file is cut off",
                  .facts = {{"size", sinter::detail::text(size, " bytes")},
                            {"announced", sinter::detail::text(announced, " bytes")},
                            {"missing", sinter::detail::text(announced - size, " bytes")}},
                  .rule = "the file has all the bytes that its header announces",
                  .fix = "copy or download it again"});
}

SINTER_INLINE void refuse_other_formats(const InputFile& file) {
  const std::string start = file.read(0, std::min<std::uint64_t>(file.size(), 256));
  const auto refuse_format = [&](std::string what, std::string fix) {
    refuse(file.access(), {.what = std::move(what),
                           .facts = {{"size", sinter::detail::text(file.size(), " bytes")}},
                           .rule = "tensors by name are read from safetensors files",
                           .fix = std::move(fix)});
  };
  const bool is_zip = start.starts_with("PK\x03\x04");
  const bool is_pickle = start.size() > 1 && start[0] == '\x80' && start[1] >= 2 && start[1] <= 5;
  const bool is_length = start.size() >= 8 && start.find_first_not_of('\0', 2) >= 8;
  if ((is_zip && start.find("data.pkl") != std::string::npos) || (is_pickle && !is_length)) {
    refuse_format("this is a file of torch.save", std::string(convert_pt));
  }
  if (is_zip) refuse_format("this is a zip file", "read arrays of NumPy with io::load_npz(path)");
  if (start.starts_with("\x93NUMPY")) {
    refuse_format("this is an array of NumPy", "read it with io::load_npy(path)");
  }
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::io
