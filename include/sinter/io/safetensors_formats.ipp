#pragma once
// Files that are no whole safetensors files: what they are instead, and what to do.

#include <algorithm>    // std::min
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/io/file.hpp>

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

// What turns a file of PyTorch into one that is read here.
inline constexpr std::string_view convert_pt =
    "convert it once: python -c \"import torch, safetensors.torch as s; s.save_file({k: "
    "v.clone().contiguous() for k, v in torch.load('model.pt', map_location='cpu', "
    "weights_only=True).items()}, 'model.safetensors')\"";

// Throws for files of other formats, each with the way to read it.
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
