#pragma once

#include <algorithm>  // std::fill, std::find_if, std::max, std::min, std::reverse
#include <bit>        // std::endian

#include <sinter/io/elements.hpp>
#include <sinter/trace/context/autocast.hpp>
#include <sinter/trace/core/evaluate.hpp>

namespace sinter::inline SINTER_ABI::io {

static_assert(std::endian::native == std::endian::little,
              "sinter::io requires a machine whose least significant byte comes first");

namespace detail {

// Sizes are below this number: see symbol/extent/extent.hpp.
inline constexpr std::int64_t most_bytes = std::int64_t{1} << 62;

SINTER_INLINE void require_booleans(const Access& access, const std::string& entry,
                                    sinter::detail::Span<const unsigned char> bytes) {
  const auto wrong = std::find_if(bytes.begin(), bytes.end(), [](auto byte) { return byte > 1; });
  if (wrong == bytes.end()) return;
  refuse(access, {.what = "a boolean is neither 0 nor 1",
                  .facts = {{"entry", shown(entry)},
                            {"element", sinter::detail::text(wrong - bytes.begin())},
                            {"found", sinter::detail::text(static_cast<int>(*wrong))}},
                  .rule = "the bytes of booleans are 0 or 1"});
}

SINTER_INLINE void reverse_bytes(sinter::detail::Span<unsigned char> bytes, std::size_t element) {
  for (std::size_t i = 0; i < bytes.size(); i += element) {
    const auto part = bytes.subspan(i, element);
    std::reverse(part.begin(), part.end());
  }
}

}  // namespace detail

SINTER_INLINE Shape require_shape(const Access& access, const std::string& entry, DType dtype,
                                  sinter::detail::Span<const std::int64_t> extents) {
  const auto refuse_for = [&](const char* what, std::string rule) {
    const std::size_t count = std::min<std::size_t>(extents.size(), 16);
    refuse(access, {.what = what,
                    .facts = {{"entry", shown(entry)},
                              {"shape", sinter::detail::text(extents.first(count),
                                                             count < extents.size() ? "..." : "")}},
                    .rule = std::move(rule)});
  };
  if (extents.size() > sinter::detail::max_rank) {
    refuse_for("a tensor has too many dimensions",
               sinter::detail::text("at most ", sinter::detail::max_rank, " dimensions"));
  }
  // Checks every extent, even if one is 0.
  auto bytes = static_cast<std::int64_t>(sinter::detail::info(dtype).size);
  for (const std::int64_t extent : extents) {
    const bool wraps = __builtin_mul_overflow(bytes, std::max<std::int64_t>(extent, 1), &bytes);
    if (extent < 0 || wraps || bytes >= detail::most_bytes) {
      refuse_for("a tensor has too many elements",
                 "extents are at least 0, and all together less than 2^62 bytes");
    }
  }
  return Shape(extents, access.where);
}

SINTER_INLINE std::uint64_t bytes_of(const sinter::detail::TensorType& type, Where where) {
  return static_cast<std::uint64_t>(numel(type.shape).value(where)) *
         sinter::detail::info(type.dtype).size;
}

SINTER_INLINE Tensor read_elements(const InputFile& file, const std::string& entry,
                                   std::uint64_t offset, const sinter::detail::TensorType& type,
                                   bool reversed) {
  const std::size_t count = bytes_of(type);
  if (offset > file.size() || count > file.size() - offset) {
    refuse(file.access(),
           {.what = "the file ends before the elements of a tensor do",
            .facts = {{"entry", shown(entry)},
                      {"type", sinter::detail::text(type.dtype, type.shape)},
                      {"bytes", sinter::detail::text("[", offset, ", ", offset + count, ")")},
                      {"size", sinter::detail::text(file.size())}},
            .rule = "the file has all bytes of all elements"});
  }
  const sinter::detail::Storage storage =
      sinter::detail::Storage::allocate(count, cpu(), file.access().where);
  const sinter::detail::Span bytes(static_cast<unsigned char*>(storage.data()), count);
  file.read(offset, bytes.data(), bytes.size());
  if (type.dtype == boolean) detail::require_booleans(file.access(), entry, bytes);
  if (reversed) detail::reverse_bytes(bytes, sinter::detail::info(type.dtype).size);
  return Tensor(sinter::detail::make_evaluated(type, storage))
      .to(current_device(), file.access().where);
}

SINTER_INLINE Tensor read_flat_part(const InputFile& file, const std::string& entry,
                                    std::uint64_t offset, const sinter::detail::TensorType& type,
                                    std::uint64_t first, std::uint64_t count) {
  const std::uint64_t size = sinter::detail::info(type.dtype).size;
  const std::uint64_t total = bytes_of(type), begin = std::min(first * size, total);
  const std::uint64_t bytes = std::min(count * size, total - begin);
  const sinter::detail::Storage storage =
      sinter::detail::Storage::allocate(count * size, cpu(), file.access().where);
  const sinter::detail::Span<unsigned char> all(static_cast<unsigned char*>(storage.data()),
                                                count * size);
  file.read(offset + begin, all.data(), bytes);
  std::fill(all.begin() + bytes, all.end(), static_cast<unsigned char>(0));
  if (type.dtype == boolean) detail::require_booleans(file.access(), entry, all);
  const Shape shape{static_cast<std::int64_t>(count)};
  return Tensor(sinter::detail::make_evaluated({type.dtype, shape}, storage))
      .to(current_device(), file.access().where);
}

SINTER_INLINE void write_elements(OutputFile& file, const Tensor& x) {
  file.write(sinter::detail::host_elements_of(x, file.access().where),
             bytes_of(x.type(), file.access().where));
}

}  // namespace sinter::inline SINTER_ABI::io
