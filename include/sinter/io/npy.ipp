#pragma once

#include <algorithm>  // std::min, std::reverse
#include <array>      // std::array
#include <cstring>    // std::memcpy
#include <numeric>    // std::iota
#include <optional>   // std::optional

#include <sinter/base/container/algorithm.hpp>
#include <sinter/io/json.hpp>
#include <sinter/io/npy.hpp>
#include <sinter/trace/core/evaluate.hpp>
#include <sinter/trace/ops/movement/movement.hpp>

namespace sinter::inline SINTER_ABI::io {

namespace detail {

inline constexpr std::string_view npy_magic = "\x93NUMPY";
// Valid headers have about a hundred bytes; the limit rejects malicious ones.
inline constexpr std::uint64_t max_npy_header_bytes = std::uint64_t{1} << 20;

// The names of the dtypes in files, in the order of DType, without the byte order prefix.
inline constexpr std::array<std::string_view, 10> npy_dtypes{"b1", "u1", "i1", "i2", "i4",
                                                             "i8", "f2", "",   "f4", "f8"};

// 'f4', a Python literal without escapes.
SINTER_INLINE std::string read_python_string(Scanner& scanner) {
  const bool is_double = scanner.accept("\"");
  if (!is_double) scanner.expect("'");
  std::string result;
  for (char c = scanner.next(); c != (is_double ? '"' : '\''); c = scanner.next()) {
    if (c == '\\') scanner.refuse_here("the strings of headers have no escapes");
    result += c;
  }
  return result;
}

SINTER_INLINE bool read_python_bool(Scanner& scanner) {
  if (scanner.accept("True")) return true;
  scanner.expect("False");
  return false;
}

// (2, 3)
SINTER_INLINE std::vector<std::int64_t> read_python_tuple(Scanner& scanner) {
  std::vector<std::int64_t> result;
  scanner.expect("(");
  while (!scanner.accept(")")) {
    result.push_back(scanner.integer());
    if (scanner.accept(",")) continue;
    if (result.size() == 1) scanner.refuse_here("a tuple of one is written (n,)");
    scanner.expect(")");
    break;
  }
  return result;
}

// An unsupported NumPy dtype, and a supported one that holds all of its values.
struct ForeignDType {
  std::string_view descr, name, wider;
};
inline constexpr std::array<ForeignDType, 7> foreign_dtypes{{{"u2", "uint16", "int32"},
                                                             {"u4", "uint32", "int64"},
                                                             {"u8", "uint64", "int64"},
                                                             {"f16", "longdouble", "float64"},
                                                             {"c8", "complex64", ""},
                                                             {"c16", "complex128", ""},
                                                             {"c32", "clongdouble", ""}}};

[[noreturn]] SINTER_INLINE void refuse_dtype(const Access& access, const std::string& descr) {
  const std::string_view name = std::string_view(descr).substr(
      !descr.empty() && std::string_view("<>=|").find(descr[0]) < 4 ? 1 : 0);
  const auto* const known =
      std::find_if(foreign_dtypes.begin(), foreign_dtypes.end(),
                   [&](const ForeignDType& dtype) { return dtype.descr == name; });
  const bool is_known = known != foreign_dtypes.end();
  std::string fix = "save it with another dtype: np.save(path, array.astype(np.float32))";
  if (is_known && known->wider.empty()) {
    fix = "save the two parts: np.save(path, np.stack([array.real, array.imag], -1))";
  } else if (is_known) {
    fix = sinter::detail::text("save it as ", known->wider,
                               ": np.save(path, np.load(path).astype(np.", known->wider, "))");
  }
  refuse(access, {.what = sinter::detail::text(
                      "elements of ", is_known ? known->name : "this dtype", " cannot be read"),
                  .facts = {{"dtype", shown(descr)}},
                  .rule = "the dtype is boolean, u8, i8 to i64, f16, f32 or f64",
                  .fix = std::move(fix)});
}

// Removes the byte order prefix: "<f4" becomes "f4".
SINTER_INLINE DType dtype_of_descr(Scanner& scanner, const std::string& descr) {
  const bool has_order = descr.size() == 3 && std::string_view("<>=|").find(descr[0]) < 4;
  const std::string_view name = std::string_view(descr).substr(has_order ? 1 : 0);
  const auto* const found = sinter::detail::find(npy_dtypes, name);
  if (name.empty() || found == npy_dtypes.end()) {
    refuse_dtype(scanner.access(), descr);
  }
  return static_cast<DType>(found - npy_dtypes.begin());
}

SINTER_INLINE std::string read_descr(Scanner& scanner) {
  if (scanner.accept("[")) scanner.refuse_here("arrays of structures are not read");
  return read_python_string(scanner);
}

// The version and the header length, which follow the magic bytes.
struct NpyStart {
  std::uint64_t start = 0;   // of the header, in the file
  std::uint64_t length = 0;  // of the header
};

[[noreturn]] SINTER_INLINE void refuse_start(const Access& access, const std::string& entry) {
  refuse(access, {.what = "this is not a NumPy array",
                  .facts = {{"entry", shown(entry)}},
                  .rule = "it starts with \\x93NUMPY, a version from 1 to 3 and the length of its "
                          "header, which is in the file"});
}

SINTER_INLINE NpyStart read_npy_start(const InputFile& file, const std::string& entry,
                                      std::uint64_t begin, std::uint64_t end) {
  constexpr std::uint64_t shortest = 10;
  if (end - begin < shortest + 2) refuse_start(file.access(), entry);
  const std::string start = file.read(begin, shortest + 2);
  const int version = start[6];
  if (!start.starts_with(npy_magic) || version < 1 || version > 3) {
    refuse_start(file.access(), entry);
  }
  const std::size_t width = version == 1 ? 2 : 4;
  NpyStart result{.start = begin + 8 + width};
  std::memcpy(&result.length, start.data() + 8, width);
  if (result.length > std::min(end - result.start, max_npy_header_bytes)) {
    refuse_start(file.access(), entry);
  }
  return result;
}

}  // namespace detail

SINTER_INLINE NpyHeader parse_npy_header(const Access& access, const std::string& entry,
                                         std::string_view header) {
  Scanner scanner(access, "the header", header);
  scanner.within(entry);
  std::optional<std::string> descr;
  std::optional<bool> fortran;
  std::optional<std::vector<std::int64_t>> extents;
  scanner.expect("{");
  while (!scanner.accept("}")) {
    const std::string key = detail::read_python_string(scanner);
    scanner.expect(":");
    if (key == "descr" && !descr) {
      descr = detail::read_descr(scanner);
    } else if (key == "fortran_order" && !fortran) {
      fortran = detail::read_python_bool(scanner);
    } else if (key == "shape" && !extents) {
      extents = detail::read_python_tuple(scanner);
    } else {
      scanner.refuse_here("a header has descr, fortran_order and shape, each once");
    }
    if (!scanner.accept(",")) {
      scanner.expect("}");
      break;
    }
  }
  scanner.end();
  if (!descr || !fortran || !extents) {
    scanner.refuse_here("a header has descr, fortran_order and shape");
  }
  const DType dtype = detail::dtype_of_descr(scanner, *descr);
  if (*fortran) std::reverse(extents->begin(), extents->end());
  const Shape shape = require_shape(access, entry, dtype, *extents);
  return {{dtype, shape}, (*descr)[0] == '>', *fortran};
}

SINTER_INLINE Tensor read_npy(const InputFile& file, const std::string& entry, std::uint64_t begin,
                              std::uint64_t end) {
  const Where where = file.access().where;
  const auto [start, length] = detail::read_npy_start(file, entry, begin, end);
  const NpyHeader header = parse_npy_header(file.access(), entry, file.read(start, length));
  const std::uint64_t bytes = bytes_of(header.type);
  if (bytes != end - start - length) {
    refuse(file.access(),
           {.what = "the size of an array does not match its elements",
            .facts = {{"entry", shown(entry)},
                      {"type", sinter::detail::text(header.type.dtype, header.type.shape)},
                      {"expected", sinter::detail::text(bytes)},
                      {"found", sinter::detail::text(end - start - length)}},
            .rule = "elements fill the file after the header"});
  }
  const Tensor elements =
      read_elements(file, entry, start + length, header.type, header.has_reversed_bytes);
  if (!header.has_reversed_axes) return elements;
  std::vector<int> axes(static_cast<std::size_t>(header.type.shape.size()));
  std::iota(axes.rbegin(), axes.rend(), 0);
  return permute({elements, where}, axes);
}

SINTER_INLINE std::string npy_header(const Access& access, const std::string& entry,
                                     const sinter::detail::TensorType& type) {
  const std::string_view name = detail::npy_dtypes[static_cast<std::size_t>(type.dtype)];
  if (name.empty()) {
    throw DTypeError({.op = access.op,
                      .what = "NumPy does not have this dtype",
                      .facts = {{"file", shown(access.path)},
                                {"entry", shown(entry)},
                                {"type", sinter::detail::text(type.dtype, type.shape)}},
                      .rule = "boolean, u8, i8 to i64, f16, f32 and f64 can be written",
                      .fix = "write x.to(f32), or use io::save_tensors",
                      .where = access.where,
                      .see = "files"});
  }
  std::string shape;
  for (const Extent& extent : type.shape) {
    shape += sinter::detail::text(shape.empty() ? "" : " ", extent.value(access.where), ",");
  }
  if (type.shape.size() > 1) shape.pop_back();  // (4,) but (2, 3)
  std::string header =
      sinter::detail::text("{'descr': '", sinter::detail::info(type.dtype).size == 1 ? "|" : "<",
                           name, "', 'fortran_order': False, 'shape': (", shape, "), }");
  // Elements are aligned to 64 bytes; a shape of at most 10 extents keeps it far below 65536 bytes.
  constexpr std::size_t start = 10;
  const std::size_t length = (start + header.size() + 1 + 63) / 64 * 64 - start;
  header.resize(length - 1, ' ');
  const auto byte = [](std::size_t value) { return static_cast<char>(value & 0xff); };
  return sinter::detail::text(detail::npy_magic, std::string{1, 0, byte(length), byte(length >> 8)},
                              header, "\n");
}

SINTER_INLINE void save_npy(const std::string& path, Operand x) {
  const Tensor tensor = x.tensor();
  OutputFile file({"io::save_npy", path, x.where});
  sinter::detail::elements_of(tensor, x.where);
  file.write(npy_header(file.access(), "", tensor.type()));
  write_elements(file, tensor);
  file.commit();
}

SINTER_INLINE Tensor load_npy(const std::string& path, Where where) {
  const InputFile file({"io::load_npy", path, where});
  return read_npy(file, "", 0, file.size());
}

}  // namespace sinter::inline SINTER_ABI::io
