#pragma once

#include <array>  // std::array

#include <sinter/io/formats.hpp>
#include <sinter/io/json.hpp>
#include <sinter/io/npz.hpp>
#include <sinter/io/zip_reader.hpp>
#include <sinter/io/zip_writer.hpp>
#include <sinter/trace/core/evaluate.hpp>

namespace sinter::inline SINTER_ABI::io {

namespace detail {

inline constexpr std::string_view npy_suffix = ".npy";

SINTER_INLINE void require_writable(const Access& access, const std::string& name,
                                    const Tensor& tensor) {
  const bool is_name = name.size() + npy_suffix.size() <= 0xffff && valid_utf8(name) == name.size();
  if (is_name && tensor.defined()) return;
  throw ValueError(
      {.op = access.op,
       .what = is_name ? "a tensor is not defined" : "a name cannot be written",
       .facts = {{"file", shown(access.path)}, {"name", shown(name)}},
       .rule = is_name ? "only tensors can be written" : "names are UTF-8 of at most 65531 bytes",
       .fix = is_name ? "leave it out" : "choose another name",
       .where = access.where,
       .see = "files"});
}

}  // namespace detail

SINTER_INLINE void save_npz(const std::string& path, const std::map<std::string, Tensor>& tensors,
                            Where where) {
  OutputFile file({"io::save_npz", path, where});
  ZipWriter archive(file);
  for (const auto& [name, tensor] : tensors) {
    detail::require_writable(file.access(), name, tensor);
    const std::string header = npy_header(file.access(), name, tensor.type());
    const std::array<std::string_view, 2> parts{
        header,
        std::string_view(static_cast<const char*>(sinter::detail::host_elements_of(tensor, where)),
                         bytes_of(tensor.type(), where))};
    archive.add(sinter::detail::text(name, detail::npy_suffix), parts);
  }
  archive.finish();
  file.commit();
}

SINTER_INLINE std::map<std::string, Tensor> load_npz(const std::string& path, Where where) {
  const InputFile file({"io::load_npz", path, where});
  std::map<std::string, Tensor> result;
  for (const ZipEntry& entry : read_zip_directory(file)) {
    std::string name = entry.name;
    if (!name.ends_with(detail::npy_suffix)) {
      const bool is_pt = name.ends_with("data.pkl");
      refuse(
          file.access(),
          {.what = is_pt ? "this is a file of torch.save" : "a file of the archive is not an array",
           .facts = {{"entry", shown(name)}},
           .rule = "the files of an npz archive are called <name>.npy",
           .fix = is_pt ? std::string(detail::convert_pt) : "write the archive with numpy.savez"});
    }
    require_checksum(file, entry);
    name.resize(name.size() - detail::npy_suffix.size());
    result[name] = read_npy(file, entry.name, entry.begin, entry.end);
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::io
