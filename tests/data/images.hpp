#pragma once
// Tiny images in files, as hexadecimal digits, which Pillow wrote.

#include <doctest/doctest.h>

#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include <sinter/data/image.hpp>

namespace images {

/// 16 x 8 pixels: red is 16 x, green 32 y, blue 255 - 8 x - 8 y; quality 95.
inline const std::string jpeg_rgb =
    "ffd8ffe000104a46494600010100000100010000ffdb00430002010101010102010101020202020204030202"
    "02020504040304060506060605060606070908060709070606080b08090a0a0a0a0a06080b0c0b0a0c090a0a"
    "0affdb004301020202020202050303050a0706070a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a"
    "0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0affc000110800080010030111000211010311"
    "01ffc40014000100000000000000000000000000000007ffc4001b1000010403000000000000000000000000"
    "1100060721091343ffc4001501010100000000000000000000000000000809ffc4001c110001030500000000"
    "00000000000000000007233206084151a1ffda000c03010002110311003f00248e31727596ed5724d4af6e16"
    "6f7439a60ba41dd647c8e31727596ed572428af6e166f74a2a982e9077593fffd9";
/// Its luma, progressive.
inline const std::string jpeg_grey =
    "ffd8ffe000104a46494600010100000100010000ffdb00430002010101010102010101020202020204030202"
    "02020504040304060506060605060606070908060709070606080b08090a0a0a0a0a06080b0c0b0a0c090a0a"
    "0affc2000b080008001001011100ffc40014000100000000000000000000000000000006ffda000801010000"
    "000122fbffc400161000030000000000000000000000000000000507ffda00080101000105025d2e174b8fff"
    "c400171000030100000000000000000000000000000124a1ffda0008010100063f0253e0a7c3ffc400141001"
    "00000000000000000000000000000010ffda0008010100013f2135afffda0008010100000010ff00ffc40016"
    "1001010100000000000000000000000000210011ffda0008010100013f10d902ec817fffd9";
inline const std::string jpeg_cmyk =
    "ffd8ffee000e41646f626500640000000000ffdb0043001b12141714111b1716171e1c1b2028422b28252528"
    "513a3d3042605565645f555d5b6a7899816a7190735b5d85b586909ea3abadab6780bcc9baa6c799a8aba4ff"
    "c000140800080010044311004d11005911004b1100ffc4001700000301000000000000000000000000000005"
    "0603ffc4001c1000010305000000000000000000000000000304051521314162ffda000e0443004d0059004b"
    "00003f00551fa32a1703570be6e5314d1fa0a1702c70be6e07ffd9";
/// 4 x 2 pixels with a palette, of which one colour is transparent.
inline const std::string png_palette =
    "89504e470d0a1a0a0000000d494844520000000400000002020300000002c695f00000000c504c544598aa88"
    "19aac79836a61936e576b1468a0000000174524e530040e6d8660000000c49444154789c63f8c51000000342"
    "014b602f26e30000000049454e44ae426082";
/// 3 x 2 pixels of 16 bits: 0, 13107, 26214, ...
inline const std::string png_16 =
    "89504e470d0a1a0a0000000d4948445200000003000000021000000000e88fe5850000001649444154789c63"
    "646030363636669839f3cc99ffff0116d2059633556dfb0000000049454e44ae426082";
/// 3 x 2 pixels of 1 bit: black, white, black, white, ...
inline const std::string png_1 =
    "89504e470d0a1a0a0000000d4948445200000003000000020100000000b50f5bb70000000c49444154789c63"
    "7060580000016400e1913adf2c0000000049454e44ae426082";
/// 2 x 2 pixels, grey 0, 60, 120, 180 with alpha 30, 90, 150, 210.
inline const std::string png_grey_alpha =
    "89504e470d0a1a0a0000000d4948445200000002000000020804000000d8bfc5af0000001249444154789c63"
    "6490b3b161ac9866630300086b021fa4f80e890000000049454e44ae426082";

/// The bytes that these digits are.
inline std::string bytes_of(const std::string& digits) {
  std::string result;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    result += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return result;
}

/// A file that lives as long as this.
struct File {
  File(const std::string& name, const std::string& bytes)
      : path(std::string(SINTER_TEST_DIR) + "/" + std::to_string(::getpid()) + "." + name) {
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    std::fwrite(bytes.data(), 1, bytes.size(), file);
    std::fclose(file);
  }
  File(const File&) = delete;
  ~File() { std::remove(path.c_str()); }

  std::string path;
};

/// Whether this file can be read. If the library of its format is missing, an error says so, and
/// what needs it is left out.
inline bool can_read(const std::string& digits) {
  const File file("image.probe", bytes_of(digits));
  try {
    sinter::data::read_image(file.path);
    return true;
  } catch (const sinter::IoError& error) {
    const std::string message = error.what();
    REQUIRE(message.find(" is missing") != std::string::npos);
    REQUIRE(message.find("apt-get install lib") != std::string::npos);
    MESSAGE("left out: " << message);
    return false;
  }
}
inline bool has_jpeg() { return can_read(jpeg_rgb); }
inline bool has_png() { return can_read(png_1); }

}  // namespace images
