#pragma once

#include <sinter/data/pixels.hpp>

namespace sinter::inline SINTER_ABI::data::detail {

SINTER_INLINE void refuse_damaged(const Access& access, const char* format, const char* reason) {
  sinter::detail::disk::refuse(access,
                               {.what = sinter::detail::text("the ", format, " file is damaged"),
                                .facts = {{"reason", sinter::detail::disk::shown(reason)}},
                                .rule = "the file has all pixels of an image",
                                .fix = "write the file again; or leave it out of the dataset"});
}

SINTER_INLINE void refuse_without(const Access& access, const char* library, const std::string& why,
                                  const char* fix) {
  sinter::detail::disk::refuse(access, {.what = sinter::detail::text(library, " is missing"),
                                        .facts = {{"reason", why}},
                                        .rule = "images are read by the libraries of the system",
                                        .fix = fix});
}

}  // namespace sinter::inline SINTER_ABI::data::detail
