#pragma once
// Diagnoses files that are not complete safetensors files: the actual format, and how to read it.

#include <cstdint>      // std::uint64_t
#include <string_view>  // std::string_view

#include <sinter/io/file.hpp>

namespace sinter::inline SINTER_ABI::io {

namespace detail {

/// The command that converts a PyTorch file to safetensors.
inline constexpr std::string_view convert_pt =
    "convert it once: python -c \"import torch, safetensors.torch as s; s.save_file({k: "
    "v.clone().contiguous() for k, v in torch.load('model.pt', map_location='cpu', "
    "weights_only=True).items()}, 'model.safetensors')\"";

/// Throws for a file of `size` bytes that is shorter than its header states.
[[noreturn]] void refuse_cut(const Access& access, std::uint64_t size, std::uint64_t announced);

/// Throws for files of other formats, each with the way to read it.
void refuse_other_formats(const InputFile& file);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::io

#ifdef SINTER_DEFINITIONS
#include <sinter/io/formats.ipp>
#endif
