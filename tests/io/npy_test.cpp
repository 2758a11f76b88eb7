// test: moved
// Files of one tensor, in NumPy's format.

#include <sinter/io/npy.hpp>
#include <sinter/trace/ops/elementwise/operators.hpp>

#include <tuple>

#include "io/support.hpp"
#include "trace/testing.hpp"

using namespace testing;

namespace {

const Numbers counted{-2, -1, 0, 1, 2, 3};

// A file of version 1 with this header.
std::string file_of(const std::string& header, const std::string& data = "") {
  std::string result("\x93NUMPY\1\0", 8);
  result += static_cast<char>(header.size() & 0xff);
  result += static_cast<char>(header.size() >> 8);
  return result + header + data;
}

}  // namespace

TEST_CASE("npy: files of NumPy are read, in every version, order of bytes and order of axes") {
  for (const auto& [name, dtype] :
       {std::pair{"f32.npy", f32}, std::pair{"big_endian.npy", i32}, std::pair{"version2.npy", i16},
        std::pair{"version3.npy", i16}}) {
    INFO(name);
    const Tensor x = io::load_npy(golden(name));
    CHECK(same(x.type(), {dtype, {2, 3}}));
    CHECK(numbers(x) == counted);
  }
  const Tensor fortran = io::load_npy(golden("fortran.npy"));
  CHECK(same(fortran.type(), {f64, {2, 3, 4}}));
  CHECK(near(fortran, numbers(counting({2, 3, 4}) - 2.0f)));
  CHECK(numbers(io::load_npy(golden("boolean.npy"))) == Numbers{0, 1, 1, 1, 1, 1});
  CHECK(io::load_npy(golden("rank0.npy")).item<double>() == 2.5);
  CHECK(same(io::load_npy(golden("empty.npy")).type(), {i64, {3, 0}}));
}

TEST_CASE("npy: a file has the bytes that NumPy writes") {
  const Folder folder;
  io::save_npy(folder / "a", counting({2, 3}) - 2.0f);
  CHECK(read_bytes(folder / "a") == read_bytes(golden("f32.npy")));
  io::save_npy(folder / "a", io::load_npy(golden("boolean.npy")));
  CHECK(read_bytes(folder / "a") == read_bytes(golden("boolean.npy")));
  io::save_npy(folder / "a", io::load_npy(golden("empty.npy")));
  CHECK(read_bytes(folder / "a") == read_bytes(golden("empty.npy")));
  io::save_npy(folder / "a", 2.5);
  CHECK(io::load_npy(folder / "a").item<double>() == 2.5);
}

TEST_CASE("npy: every dtype that NumPy has comes back") {
  const Folder folder;
  for (const DType dtype : {boolean, u8, i8, i16, i32, i64, f16, f32, f64}) {
    for (const Shape& shape : {Shape{}, Shape{4}, Shape{2, 0, 3}, Shape{1, 2, 1, 2, 1, 2, 1, 2}}) {
      const Tensor x = counting(shape).to(dtype);
      io::save_npy(folder / "a", x);
      const Tensor y = io::load_npy(folder / "a");
      CHECK(same(x.type(), y.type()));
      CHECK(numbers(x) == numbers(y));
      CHECK(read_bytes(folder / "a").find('\n') % 64 == 63);
    }
  }
  MISTAKE(DTypeError, io::save_npy(folder / "b", ones({2}, bf16)), "bf16[2]", "x.to(f32)");
  CHECK(folder.files() == 1);
}

TEST_CASE("npy: what sinter does not have is refused by name") {
  refuses("elements of complex64 cannot be read", [] { io::load_npy(golden("complex.npy")); });
  const Folder folder;
  io::save_npy(folder / "a", counting({2}).to(i16));
  write_bytes(folder / "a", replaced(read_bytes(folder / "a"), "<i2", "<u2"));
  refuses("elements of uint16 cannot be read", [&] { io::load_npy(folder / "a"); });
  refuses("np.load(path).astype(np.int32)", [&] { io::load_npy(folder / "a"); });
  refuses("array.imag], -1)", [] { io::load_npy(golden("complex.npy")); });
  refuses("arrays of structures", [] { io::load_npy(golden("structure.npy")); });
  refuses("not a NumPy array", [] { io::load_npy(golden("stored.npz")); });
  refuses("not a NumPy array", [] { io::load_npy(golden("plain.safetensors")); });
}

TEST_CASE("npy: a file that is cut anywhere is refused") {
  const Folder folder;
  const std::string bytes = read_bytes(golden("version3.npy"));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    write_bytes(folder / "a", bytes.substr(0, length));
    refuses("io::load_npy: ", [&] { io::load_npy(folder / "a"); });
  }
  write_bytes(folder / "a", bytes + "x");
  refuses("expected 12\n  found 13", [&] { io::load_npy(folder / "a"); });
}

TEST_CASE("npy: headers that lie are refused, with the rule") {
  const std::string descr = "'descr': '<f4', ", order = "'fortran_order': False, ";
  // Table: what the error says, the header.
  const std::tuple<std::string, std::string> table[]{
      {"here comes {", "[]"},
      {"here comes '", "{" + descr},
      {"here comes '", "{f4: 1}"},
      {"the text goes on", "{'descr"},
      {"have no escapes", "{'de\\x73cr': '<f4'}"},
      {"has descr, fortran_order and shape", "{}"},
      {"has descr, fortran_order and shape", "{" + descr + order + "}"},
      {"each once", "{" + descr + descr + "}"},
      {"each once", "{'extra': 1}"},
      {"here comes False", "{'fortran_order': 0}"},
      {"(n,)", "{'shape': (6)}"},
      {"here comes (", "{'shape': [6]}"},
      {"an integer is expected here", "{'shape': (-1,)}"},
      {"(n,)", "{'shape': (2L,)}"},
      {"too many dimensions", "{" + descr + order + "'shape': (1,1,1,1,1,1,1,1,1,1,1)}"},
      {"too many elements", "{" + descr + order + "'shape': (4611686018427387904, 0)}"},
      {"does not match its elements", "{" + descr + order + "'shape': (2,)}"},
      {"here comes }", "{" + descr + order + "'shape': (0,) x}"},
      {"ends here", "{" + descr + order + "'shape': (0,)} x"},
      {"elements of this dtype", "{'descr': 'O', " + order + "'shape': (0,)}"},
      {"elements of this dtype", "{'descr': '<f3', " + order + "'shape': (0,)}"},
      {"elements of this dtype", "{'descr': '!f4', " + order + "'shape': (0,)}"},
      {"elements of this dtype", "{'descr': '<', " + order + "'shape': (0,)}"},
      {"elements of this dtype", "{'descr': '', " + order + "'shape': (0,)}"},
      {"elements of uint32", "{'descr': '<u4', " + order + "'shape': (0,)}"},
  };
  const Folder folder;
  for (const auto& [part, header] : table) {
    INFO(header);
    write_bytes(folder / "a", file_of(header, "xyz"));
    refuses(part, [&] { io::load_npy(folder / "a"); });
  }
  write_bytes(folder / "a", file_of("{" + descr + order + "'shape': ( 1 , ) , }  \n", "xyzw"));
  CHECK(io::load_npy(folder / "a").ndim() == 1);
  write_bytes(folder / "a",
              file_of("{'descr': '|b1', 'fortran_order': False, 'shape': (1,)}", "\2"));
  refuses("neither 0 nor 1", [&] { io::load_npy(folder / "a"); });
}

TEST_CASE("npy: versions and lengths that are not those of NumPy are refused") {
  const Folder folder;
  const std::string bytes = read_bytes(golden("version3.npy"));
  for (const char version : {'\0', '\4', '\xff'}) {
    std::string wrong = bytes;
    wrong[6] = version;
    write_bytes(folder / "a", wrong);
    refuses("a version from 1 to 3", [&] { io::load_npy(folder / "a"); });
  }
  for (std::size_t at = 8; at < 12; ++at) {
    std::string wrong = bytes;
    wrong[at] = '\xff';
    write_bytes(folder / "a", wrong);
    refuses("io::load_npy: ", [&] { io::load_npy(folder / "a"); });
  }
}
