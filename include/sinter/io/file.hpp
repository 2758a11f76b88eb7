#pragma once
// Aliases of the file types in base.

#include <sinter/base/file.hpp>

namespace sinter::inline SINTER_ABI::io {

using sinter::detail::disk::Access;
using sinter::detail::disk::Flaw;
using sinter::detail::disk::InputFile;
using sinter::detail::disk::OutputFile;
using sinter::detail::disk::refuse;
using sinter::detail::disk::shown;

}  // namespace sinter::inline SINTER_ABI::io
