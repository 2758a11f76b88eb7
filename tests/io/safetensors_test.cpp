// test: moved
// Files of named tensors.

#include <sinter/io/safetensors.hpp>

#include <sinter/trace/ops/elementwise/operators.hpp>

#include <cstring>
#include <tuple>

#include "io/support.hpp"
#include "trace/testing.hpp"

using namespace testing;
using Tensors = std::map<std::string, Tensor>;

namespace {

// A file with this header, and `data` bytes behind it.
std::string file_of(const std::string& header, std::size_t data) {
  const std::uint64_t length = header.size();
  std::string result(sizeof(length), '\0');
  std::memcpy(result.data(), &length, sizeof(length));
  return result + header + std::string(data, '\0');
}

// A member of a header: an f32 tensor of 2 elements in the bytes [begin, end).
std::string pair_at(const std::string& name, int begin, int end) {
  return text("\"", name, R"(":{"dtype":"F32","shape":[2],"data_offsets":[)", begin, ",", end,
              "]}");
}

template <class T>
std::vector<T> counting_from(int first) {
  std::vector<T> result;
  for (int i = 0; i < 6; ++i) result.push_back(static_cast<T>(first + i));
  return result;
}

template <class T>
void holds(const Tensors& tensors, const std::string& name, int first) {
  const Tensor& x = tensors.at(name);
  CHECK(same(x.shape(), Shape{2, 3}));
  CHECK(x.to_vector<T>() == counting_from<T>(first));
}

}  // namespace

TEST_CASE("safetensors: a file of the reference implementation is read, in every dtype") {
  const Tensors tensors = io::load_tensors(golden("dtypes.safetensors"));
  CHECK(tensors.size() == 13);
  holds<std::uint8_t>(tensors, "u8", 0);
  holds<std::int8_t>(tensors, "i8", -2);
  holds<std::int16_t>(tensors, "i16", -2);
  holds<std::int32_t>(tensors, "i32", -2);
  holds<std::int64_t>(tensors, "i64", -2);
  holds<float>(tensors, "f32", -2);
  holds<double>(tensors, "f64", -2);
  CHECK(tensors.at("f16").dtype() == f16);
  CHECK(numbers(tensors.at("f16")) == Numbers{-2, -1, 0, 1, 2, 3});
  CHECK(tensors.at("bf16").dtype() == bf16);
  CHECK(numbers(tensors.at("bf16")) == Numbers{-2, -1, 0, 1, 2, 3});
  CHECK(tensors.at("boolean").to_vector<bool>() ==
        std::vector<bool>{false, true, true, true, true, true});
  CHECK(tensors.at("rank 0").item<float>() == 7);
  CHECK(tensors.at("rank 0").ndim() == 0);
  CHECK(same(tensors.at("empty").type(), {i64, {3, 0}}));
  CHECK(tensors.at("\"quoted\"\n\u00e4\U0001f600").to_vector<std::uint8_t>().at(0) == 5);
}

TEST_CASE("safetensors: metadata is read, and written") {
  const io::Metadata metadata{{"note", "a \"b\"\t\u00e4"}, {"step", "17"}};
  CHECK(io::load_metadata(golden("dtypes.safetensors")) == metadata);
  const Folder folder;
  io::save_tensors(folder / "a", {{"x", ones({1})}}, metadata);
  CHECK(io::load_metadata(folder / "a") == metadata);
  CHECK(io::load_tensors(folder / "a").size() == 1);
  io::save_tensors(folder / "a", {});
  CHECK(io::load_metadata(folder / "a").empty());
  CHECK(io::load_tensors(folder / "a").empty());
}

TEST_CASE("safetensors: a file has the bytes that the reference implementation writes") {
  const Folder folder;
  io::save_tensors(folder / "a",
                   {{"a.weight", counting({2, 3}) - 2.0f}, {"b.bias", counting({4}) - 2.0f}},
                   {{"kind", "plain"}});
  CHECK(read_bytes(folder / "a") == read_bytes(golden("plain.safetensors")));
}

TEST_CASE("safetensors: every tensor comes back bit for bit, NaN and its payload included") {
  const Folder folder;
  const Tensors tensors = io::load_tensors(golden("dtypes.safetensors"));
  io::save_tensors(folder / "a", tensors);
  for (const auto& [name, tensor] : io::load_tensors(folder / "a")) {
    INFO(name);
    CHECK(same(tensor.type(), tensors.at(name).type()));
    CHECK(same_bits(tensor, tensors.at(name)));
  }
  const std::vector<std::uint32_t> bits{0x7fc12345, 0xffc00001, 0x7f800001, 0x80000000, 1};
  const std::span floats(reinterpret_cast<const float*>(bits.data()), bits.size());
  io::save_tensors(folder / "nan", {{"x", from_span(floats, {5})}});
  const Tensor x = io::load_tensors(folder / "nan").at("x");
  CHECK(std::memcmp(x.data<float>(), bits.data(), 20) == 0);
}

TEST_CASE("safetensors: elements are aligned to their size, whatever the names are") {
  const Folder folder;
  io::save_tensors(folder / "a", {{"a", zeros({3}, boolean)},
                                  {"b", zeros({3}, i16)},
                                  {"c", zeros({3}, f32)},
                                  {"d", zeros({1}, u8)},
                                  {"e", zeros({3}, f64)}});
  const io::InputFile file({"test", folder / "a", {}});
  std::string order;
  for (const io::SafetensorsEntry& entry : io::read_safetensors_header(file).entries) {
    CHECK(entry.offset % info(entry.type.dtype).size == 0);
    order += entry.name;
  }
  CHECK(order == "ecbad");
}

TEST_CASE("safetensors: headers may have space, members in any order and escapes") {
  const Folder folder;
  write_bytes(folder / "a",
              file_of("{ \"b\\u0063\" :\n{ \"data_offsets\" : [ 0 , 8 ] , \"shape\" : [ 2 ] ,"
                      "\t\"dtype\" : \"F32\" } }   ",
                      8));
  CHECK(numbers(io::load_tensors(folder / "a").at("bc")) == Numbers{0, 0});
}

TEST_CASE("safetensors: what cannot be written is refused, and the old file stays") {
  const Folder folder;
  io::save_tensors(folder / "a", {{"x", ones({1})}});
  const std::string old = read_bytes(folder / "a");
  const Tensor x = ones({2});
  MISTAKE(ValueError, io::save_tensors(folder / "a", {{"x", Tensor()}}), "not defined", "name  x");
  MISTAKE(ValueError, io::save_tensors(folder / "a", {{"__metadata__", x}}), "__metadata__");
  MISTAKE(ValueError, io::save_tensors(folder / "a", {{"\xff", x}}), "UTF-8");
  MISTAKE(ValueError, io::save_tensors(folder / "a", {}, {{"k", "\xff"}}), "metadata", "name  k");
  CHECK(read_bytes(folder / "a") == old);
  CHECK(folder.files() == 1);
}

TEST_CASE("safetensors: a file that is cut anywhere is refused") {
  const Folder folder;
  const std::string bytes = read_bytes(golden("dtypes.safetensors"));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    write_bytes(folder / "a", bytes.substr(0, length));
    refuses("io::load_tensors: ", [&] { io::load_tensors(folder / "a"); });
  }
  write_bytes(folder / "a", bytes + "x");
  refuses("has bytes after the last tensor", [&] { io::load_tensors(folder / "a"); });
}

TEST_CASE("safetensors: headers that lie are refused, with the entry and the rule") {
  const auto entry = [](const std::string& members) { return text(R"({"w":{)", members, "}}"); };
  const std::string huge = "4611686018427387904";
  // Table: what the error says, the header, the bytes behind it.
  const std::tuple<std::string, std::string, std::size_t> table[]{
      {"starts with {", "[]", 0},
      {"starts with {", " {}", 0},
      {"here comes }", "{\"__metadata__\":{}", 0},
      {"ends here", "{}{}", 0},
      {"ends here", "{}\\0", 0},
      {"not UTF-8", "{\"\xff\":{}}", 0},
      {"here comes {", R"({"w":[]})", 0},
      {"here comes {", R"({"w":1})", 0},
      {"entry w", entry(""), 0},
      {"two data_offsets", entry(R"("dtype":"F32","shape":[2])"), 8},
      {"two data_offsets", entry(R"("dtype":"F32","shape":[2],"data_offsets":[0])"), 8},
      {"two data_offsets", entry(R"("dtype":"F32","shape":[2],"data_offsets":[0,4,8])"), 8},
      {"nothing else", entry(R"("dtype":"F32","strides":[1])"), 8},
      {"the key dtype is there once", entry(R"("dtype":"F32","dtype":"F32")"), 8},
      {"which is F8_E4M3, is one of", entry(R"("dtype":"F8_E4M3")"), 8},
      {"which is f32, is one of", entry(R"("dtype":"f32")"), 8},
      {"an integer is expected here", entry(R"("shape":[-1])"), 8},
      {"here comes ]", entry(R"("shape":[2.0])"), 8},
      {"an integer is expected here", entry(R"("shape":["2"])"), 8},
      {"an integer is expected here", entry(R"("shape":[18446744073709551616])"), 8},
      {"too many elements",
       entry(text(R"("dtype":"F32","shape":[)", huge, ",4", R"(],"data_offsets":[0,0])")), 0},
      {"too many dimensions",
       entry(R"("dtype":"F32","shape":[1,1,1,1,1,1,1,1,1,1,1],"data_offsets":[0,4])"), 4},
      {"does not match its elements", "{" + pair_at("w", 0, 7) + "}", 8},
      {"does not match its elements", "{" + pair_at("w", 0, 9) + "}", 9},
      {"the file is cut off", "{" + pair_at("w", 0, 8) + "}", 7},
      {"does not match its elements", "{" + pair_at("w", 0, 0) + "}", 0},
      {"a hole or an overlap", "{" + pair_at("w", 8, 0) + "}", 8},
      {"a hole or an overlap", "{" + pair_at("w", 4, 12) + "}", 12},
      {"a hole or an overlap", "{" + pair_at("v", 0, 8) + "," + pair_at("w", 4, 12) + "}", 12},
      {"a hole or an overlap", "{" + pair_at("v", 0, 8) + "," + pair_at("w", 0, 8) + "}", 8},
      {"a hole or an overlap", "{" + pair_at("v", 0, 8) + "," + pair_at("w", 9, 17) + "}", 17},
      {"has bytes after", "{" + pair_at("w", 0, 8) + "}", 16},
      {"the key w is there once", "{" + pair_at("w", 0, 8) + "," + pair_at("w", 8, 16) + "}", 16},
      {"here comes \"", R"({"__metadata__":{"a":1}})", 0},
      {"here comes {", R"({"__metadata__":"a"})", 0},
      {"the key __metadata__ is there once", R"({"__metadata__":{},"__metadata__":{}})", 0},
      {"neither 0 nor 1", entry(R"("dtype":"BOOL","shape":[1],"data_offsets":[0,1])"), 0},
  };
  const Folder folder;
  for (const auto& [part, header, data] : table) {
    INFO(header);
    std::string bytes = file_of(header, data);
    if (contains(header, "BOOL")) bytes += '\2';
    write_bytes(folder / "a", bytes);
    refuses(part, [&] { io::load_tensors(folder / "a"); });
  }
}

TEST_CASE("safetensors: a header is as long as the file at most, and at most 100 MB") {
  const Folder folder;
  for (const std::uint64_t length :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{100'000'001},
        std::uint64_t{1} << 63, ~std::uint64_t{0}, ~std::uint64_t{0} - 7}) {
    std::string bytes = file_of("{}", 0);
    std::memcpy(bytes.data(), &length, sizeof(length));
    write_bytes(folder / "a", bytes);
    const char* const part = length == 3 ? "the file is cut off" : "not a safetensors file";
    refuses(part, [&] { io::load_tensors(folder / "a"); });
  }
  const std::uint64_t length = 100'000'001;
  write_bytes(folder / "a", file_of("{}", 0).replace(0, 8, std::string(8, '\0')));
  std::filesystem::resize_file(folder / "a", length + 100);
  std::string start(8, '\0');
  std::memcpy(start.data(), &length, sizeof(length));
  std::fstream(folder / "a", std::ios::in | std::ios::out | std::ios::binary) << start << "{";
  refuses("at most 100000000", [&] { io::load_tensors(folder / "a"); });
}
