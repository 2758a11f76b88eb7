#pragma once
// Files that are no whole safetensors files: what they are instead, and what to do.

#include <cstdint>      // std::uint64_t
#include <string_view>  // std::string_view

#include <sinter/io/file.hpp>

namespace sinter::inline SINTER_ABI::io {

namespace detail {

/// What turns a file of PyTorch into one that is read here.
inline constexpr std::string_view convert_pt =
    "convert it once: python -c \"import torch, safetensors.torch as s; s.save_file({k: "
    "v.clone().contiguous() for k, v in torch.load('model.pt', map_location='cpu', "
    "weights_only=True).items()}, 'model.safetensors')\"";

/// Throws for a file of `size` bytes whose header announces more.
[[noreturn]] void refuse_cut(const Access& access, std::uint64_t size, std::uint64_t announced);

/// Throws for files of other formats, each with the way to read it.
void refuse_other_formats(const InputFile& file);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::io

#ifdef SINTER_DEFINITIONS
#include <sinter/io/formats.ipp>
#endif
