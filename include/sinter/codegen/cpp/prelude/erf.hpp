#pragma once
// Helpers of generated C++ for the error function, and for table lookups in vectors.

#include <array>        // std::array
#include <string_view>  // std::string_view

#include <sinter/codegen/text/helper.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

inline constexpr std::array<Helper, 8> cpp_erf_helpers{{
    {"lookup", "f32", Lanes::native,
     R"(// The element of a table of 16 at the last 4 bits of each lane of `index`.
INLINE $T lookup_$S(const $E* table, $I index) {
  $T v = {};
#if $N == 16 && defined(__AVX512F__)
  __builtin_memcpy(&v, table, sizeof(v));
  __asm__("vpermps %0, %1, %0" : "+v"(v) : "v"(index));
#elif $N == 8 && defined(__AVX2__)
  $T w = load_$S(table + 8);
  v = load_$S(table);
  __asm__("vpermps %0, %1, %0" : "+v"(v) : "v"(index));
  __asm__("vpermps %0, %1, %0" : "+v"(w) : "v"(index));
  v = (index & 8) != 0 ? w : v;
#elif $N == 4
  v = ($T){table[index[0] & 15], table[index[1] & 15], table[index[2] & 15], table[index[3] & 15]};
#else
  for (int i = 0; i < $N; ++i) v[i] = table[index[i] & 15];
#endif
  return v;
})"},
    {"erf_terms", "f32", Lanes::one,
     R"(// The polynomials of erf around multiples of 9 / 32, term by term.
alignas(64) static constexpr float erf_terms_f32[7][16] = {
    {0, 0x1.3c9aa8p-2f, 0x1.25b8a8p-1f, 0x1.88d1cep-1f, 0x1.c6dad2p-1f, 0x1.e812fcp-1f,
     0x1.f74a6ep-1f, 0x1.fd40bep-1f, 0x1.ff4048p-1f, 0x1.ffd2eap-1f, 0x1.fff6dep-1f,
     0x1.fffe68p-1f, 0x1.ffffc4p-1f, 0x1.fffff8p-1f, 0x1p+0f, 0x1p+0f},
    {0x1.06eba8p-3f, 0x1.0ae55p+0f, 0x1.a5074ep-1f, 0x1.1b7e9ap-1f, 0x1.45e99cp-2f,
     0x1.3fda6cp-3f, 0x1.0bf97ep-4f, 0x1.7f5188p-6f, 0x1.d4143ap-8f, 0x1.e7f236p-10f,
     0x1.b23a64p-12f, 0x1.49e18cp-14f, 0x1.abe0d6p-17f, 0x1.d9c7acp-20f, 0x1.bfd81ap-23f, 0},
    {0, -0x1.2c3fcp-2f, -0x1.d9a4acp-2f, -0x1.de6a86p-2f, -0x1.6ea35p-2f, -0x1.c1c5a4p-3f,
     -0x1.c44018p-4f, -0x1.79744cp-5f, -0x1.07916ep-6f, -0x1.33386ep-8f, -0x1.2af174p-10f,
     -0x1.c893e6p-13f, -0x1.1abd04p-14f, -0x1.d9536ep-20f, -0x1.90f29cp-16f, 0},
    {-0x1.81260ap-2f, -0x1.2b8e62p-2f, -0x1.9c3a58p-4f, 0x1.40597cp-4f, 0x1.4cb2bp-3f,
     0x1.3b1056p-3f, 0x1.a36a14p-4f, 0x1.af5d32p-5f, 0x1.63fp-6f, 0x1.e06466p-8f, 0x1.0c1fc6p-9f,
     0x1.f2abacp-12f, 0x1.84398cp-14f, 0x1.fbd9f4p-17f, 0x1.17cdf2p-19f, 0},
    {0, 0x1.1a5cd4p-3f, 0x1.724be6p-3f, 0x1.004f1ap-3f, 0x1.ad4fc4p-6f, -0x1.29e3fcp-5f,
     -0x1.8abd88p-5f, -0x1.1a2062p-5f, -0x1.14173ep-6f, -0x1.646006p-7f, -0x1.777996p-8f,
     -0x1.0a9d2p-8f, 0x1.973b34p-9f, -0x1.55224ap-11f, 0x1.92afbcp-9f, 0},
    {0x1.cb2118p-4f, 0x1.242f5p-4f, -0x1.6ff3bp-7f, -0x1.057b78p-4f, -0x1.f4443ep-5f,
     -0x1.b2ce5cp-6f, 0x1.506ee8p-9f, 0x1.a42e64p-7f, 0x1.5c92d4p-7f, 0x1.7074e8p-8f,
     0x1.20d578p-9f, 0x1.6290cep-11f, 0x1.5de20ep-13f, 0x1.19dd32p-15f, 0x1.76630ep-18f, 0},
    {0, -0x1.b8c8fp-7f, 0x1.9e3c28p-8f, -0x1.824e16p-4f, 0x1.30ab2cp-4f, 0x1.196446p-4f,
     -0x1.22f2c6p-5f, -0x1.12f734p-4f, -0x1.3e6b0ap-4f, 0x1.a78774p-4f, 0x1.b6a276p-4f,
     0x1.d1e944p-4f, -0x1.be0b5ap-4f, 0x1.564afep-6f, -0x1.a5c834p-4f, 0},
};)"},
    {"erf", "f32", Lanes::any,
     R"(// A polynomial of the distance u to the nearest of 16 points, the last of which has erf 1.
// At the first point, u is added separately: the coefficient 1.128 has too few digits in 24 bits.
INLINE $T erf_$S($T x) {
  const auto& terms = erf_terms_f32;
  const $T size = at_most_$S(abs_$S(x), 4.21875f - ($T){}), magic = 0x1.8p+23f - ($T){};
  const $T shifted = size * (32.0f / 9) + magic, u = size - (shifted - magic) * 0.28125f;
  const $I point = __builtin_bit_cast($I, shifted);
  const $T uu = u * u;
  const $T a = lookup_$S(terms[1], point) + lookup_$S(terms[2], point) * u;
  const $T b = lookup_$S(terms[3], point) + lookup_$S(terms[4], point) * u;
  const $T c = lookup_$S(terms[5], point) + lookup_$S(terms[6], point) * u;
  const $T first = shifted == magic ? u : lookup_$S(terms[0], point);
  return with_sign_$S(first + u * (a + uu * (b + uu * c)), x);
})"},
    {"lookup", "f64", Lanes::native,
     R"(// The element of a table of 16 at the last 4 bits of each lane of `index`.
INLINE $T lookup_$S(const $E* table, $I index) {
#if $N == 8 && defined(__AVX512F__)
  $T v = __builtin_bit_cast($T, index);
  const $T low = load_$S(table), high = load_$S(table + 8);
  __asm__("vpermi2pd %2, %1, %0" : "+v"(v) : "v"(low), "v"(high));
#elif $N == 4
  const $T v = {table[index[0] & 15], table[index[1] & 15], table[index[2] & 15],
                table[index[3] & 15]};
#elif $N == 2
  const $T v = {table[index[0] & 15], table[index[1] & 15]};
#else
  $T v = {};
  for (int i = 0; i < $N; ++i) v[i] = table[index[i] & 15];
#endif
  return v;
})"},
    {"lookup", "f32 f64", Lanes::one,
     R"(INLINE $E lookup_$S(const $E* table, $J index) { return table[index & 15]; })"},
    {"lookup", "f32 f64", Lanes::vector,
     R"(INLINE $T lookup_$S(const $E* table, $I index) {
  $T v = {};
  for (int i = 0; i < $N; ++i) v[i] = table[index[i] & 15];
  return v;
})"},
    {"erf_terms", "f64", Lanes::one,
     R"(// The polynomials of erf around multiples of 105 / 256, term by term.
alignas(64) static constexpr double erf_terms_f64[14][16] = {
    {0, 0x1.c0a2089ea286p-2, 0x1.820b1202f27fbp-1, 0x1.d619ecddba234p-1, 0x1.f59741b4b97cfp-1,
     0x1.fe174449e1157p-1, 0x1.ffbe599f4f9d9p-1, 0x1.fff993c9789bep-1, 0x1.ffff8b500e77cp-1,
     0x1.fffffa02aec26p-1, 0x1.ffffffc733572p-1, 0x1.fffffffe7bef4p-1, 0x1.fffffffff88c5p-1,
     0x1.ffffffffffe5bp-1, 0x1.ffffffffffffcp-1, 0x1p+0},
    {0x1.06eba8214db64p-3, 0x1.e84664877bb7dp-1, 0x1.26c508f6bd1p-1, 0x1.fc70b9fc92a8fp-3,
     0x1.3937b1b319259p-4, 0x1.13a6e6647daf6p-6, 0x1.5a90b00981d92p-9, 0x1.373c05bf9d357p-12,
     0x1.8f4ccca7fc93bp-16, 0x1.6dec5002f4d73p-20, 0x1.df0f2a0ee668ep-25, 0x1.bffd391f985bep-30,
     0x1.2b3e5353825b7p-35, 0x1.1d8e3d423727ep-41, 0x1.85487ee301eafp-48, 0},
    {0, -0x1.9089be77237bcp-2, -0x1.e39b42b4ce2fap-2, -0x1.38cf5a6ce43a8p-2,
     -0x1.00efafc4eaa04p-3, -0x1.1aa6a33e0ae21p-5, -0x1.aa70089bb2c57p-8, -0x1.becaaa4092212p-11,
     -0x1.478cffe1cd4p-14, -0x1.51b154d6bade1p-18, -0x1.eb390ca0466bfp-23, -0x1.f94cde2e518b2p-28,
     -0x1.7035b0877d948p-33, -0x1.7ca5db2783007p-39, -0x1.176ac9113dccfp-45, 0},
    {-0x1.812746b037134p-2, -0x1.affd31e0d2966p-3, 0x1.0fd634aedf47p-4, 0x1.57b947b1205e4p-3,
     0x1.c9a46a9863b42p-4, 0x1.547eacc8bda33p-5, 0x1.40ee830eede7p-7, 0x1.91a849ca7fe8ap-10,
     0x1.559f04ad4c9p-13, 0x1.904605640e80ep-17, 0x1.45d10416a0e36p-21, 0x1.72a1068cb45acp-26,
     0x1.27d013c0ce8a4p-31, 0x1.4c526db2b6e1ep-37, 0x1.075b1be3341dp-43, 0},
    {0, 0x1.639debb4ad94fp-3, 0x1.0aa81400099bbp-3, -0x1.7720a971cb046p-10, -0x1.983cd48625e43p-5,
     -0x1.fdd8b0d8f1cfep-6, -0x1.43d2cf296c8f9p-7, -0x1.f621f98e2c01ap-10, -0x1.f9e163b1460dp-13,
     -0x1.5540821212e86p-16, -0x1.399f1cd57a285p-20, -0x1.8cfd41920be4dp-25,
     -0x1.5ca5766068b8p-30, -0x1.ab20a29e8e90ap-36, -0x1.6e6ad84679eedp-42, 0},
    {0x1.ce2f219ed2d0bp-4, 0x1.1d0365f7d3a04p-5, -0x1.008b5ced4ad06p-4, -0x1.96b2df06b368ap-5,
     -0x1.ab7b85b94679dp-11, 0x1.abdf7f9a76ea6p-7, 0x1.bcf7ec6a0d9efp-8, 0x1.c82bbb41e97d5p-10,
     0x1.18bda8b960103p-12, 0x1.bbd6bf4409ea2p-16, 0x1.d1a9b112a55cfp-20, 0x1.4a6c724838f27p-24,
     0x1.410344afa0acep-29, 0x1.ae913574610fdp-35, 0x1.910e3ee9c11bcp-41, 0},
    {0, -0x1.a24a9469a260ap-5, -0x1.20459b21baf1p-6, 0x1.53df4661b8597p-6, 0x1.c2108ecdd5fd1p-7,
     -0x1.492bf50eebe9bp-11, -0x1.809d5a587d47ap-9, -0x1.2eaaececf717cp-10,
     -0x1.df381be9dfb3fp-13, -0x1.c7211af4ec9e2p-16, -0x1.14820d1e3f1f4p-19,
     -0x1.bbfe836587a49p-24, -0x1.e02cd9fa6d4a3p-29, -0x1.62284e7cf9855p-34,
     -0x1.6764e6d84bed6p-40, 0},
    {-0x1.b82ce1a59fadep-6, -0x1.2d77f62622967p-9, 0x1.37e446f36875bp-6, 0x1.28b8101064658p-8,
     -0x1.9936832feea21p-8, -0x1.674795e72feabp-9, 0x1.d456ed7996fb4p-12, 0x1.175707a19d75p-11,
     0x1.3b94f442c4008p-13, 0x1.7657e0ce74b1p-16, 0x1.0c98c69bd4424p-19, 0x1.edaa0291b1e6dp-24,
     0x1.2b685a79928b6p-28, 0x1.e8479a0db2f5p-34, 0x1.0ef1b95c0f9cp-39, 0},
    {0, 0x1.6e43556ca34e8p-7, -0x1.1839a3414a416p-13, -0x1.7e9866bc173f4p-8,
     -0x1.90b3c6cdda60bp-12, 0x1.93abd75092ae6p-10, 0x1.73335b4f52135p-12, -0x1.1b2738cc3790dp-13,
     -0x1.385f1f6c5f22cp-14, -0x1.efdec61561374p-17, -0x1.b0548df54ece1p-20,
     -0x1.cdae8c5c233bp-24, -0x1.3cf96a451c125p-28, -0x1.1f83908f44326p-33,
     -0x1.5e7d320f6683ap-39, 0},
    {0x1.565b209252ea5p-8, -0x1.2b9eb6d011541p-11, -0x1.e1fc149c0758bp-9, 0x1.7760c237a72f7p-11,
     0x1.62cde0597d9fp-10, -0x1.61fd175f27258p-13, -0x1.2610df886a6e5p-12, -0x1.24d3372b96934p-16,
     0x1.a42ccf5520ac9p-16, 0x1.052fd6a8a5658p-17, 0x1.219928c4eb916p-20, 0x1.6ee9b74b79a9ep-24,
     0x1.2082a76780e2ep-28, 0x1.25468d86aad9dp-33, 0x1.8ab7c3ae1158ap-39, 0},
    {0, -0x1.fc8b8382128fap-10, 0x1.488063c13886ap-11, 0x1.c3d984659c429p-11,
     -0x1.8a5aea9cf5f2bp-12, -0x1.ad16293fbbfcp-13, 0x1.3b014c3eb579fp-14, 0x1.1d81c6f8c4ee8p-15,
     -0x1.ad166b4cda7aep-19, -0x1.a2c91a2e4f008p-19, -0x1.4160a92b46727p-21,
     -0x1.f1c1f9c624926p-25, -0x1.c6d0a4ee396bbp-29, -0x1.052b4c83ec9a9p-33,
     -0x1.85f4f4e9cf4f1p-39, 0},
    {-0x1.bfd9de825ec7cp-11, 0x1.eaee07c4b6216p-13, 0x1.0d91989eb272ap-11, -0x1.46e67290333b8p-12,
     -0x1.cf3c24b247b18p-14, 0x1.b7a0c2cb1f1cep-14, 0x1.9abdb7e231028p-17, -0x1.f80ef6b160bcp-17,
     -0x1.23f66bc77f357p-19, 0x1.bc5fc3f9daa41p-21, 0x1.2149f8ce9e1dbp-22, 0x1.1d9850823102p-25,
     0x1.3361adc18411cp-29, 0x1.905bcc9ff59c5p-34, 0x1.4b55dfad14553p-39, 0},
    {0, 0x1.3579675fbb16ep-12, -0x1.892da3038aa07p-13, -0x1.fd4cbde844c26p-15,
     0x1.814ebdb969cc9p-14, -0x1.10c772610deecp-17, -0x1.11a9532e6b9c9p-16, 0x1.484a93f421243p-19,
     0x1.b3c43265f4837p-20, -0x1.0fa80b9cc3ec7p-24, -0x1.8bb3bce4394e6p-24,
     -0x1.042f4351fa58fp-26, -0x1.496eab2a3554fp-30, -0x1.e149d14765e74p-35,
     -0x1.b37129ae69035p-40, 0},
    {0x1.e55b24eaab78bp-14, -0x1.6c04d60714e82p-14, -0x1.50cd683d1c7b8p-17, 0x1.8edf7f93d1445p-15,
     -0x1.198d77b4d276cp-16, -0x1.c5a140b7fb44dp-18, 0x1.30ae2e4d51259p-18, 0x1.5f4193d3874ccp-22,
     -0x1.e1394396301d3p-22, -0x1.33833382908acp-25, 0x1.4330d52aa6e66p-26, 0x1.1e684c62123e7p-28,
     0x1.9eadfe9f689f6p-32, 0x1.4a6c366de0701p-36, 0x1.3ed316e827866p-41, 0},
};)"},
    {"erf", "f64", Lanes::any,
     R"(// As in f32: around 16 points, the last of which has erf 1. Each point serves more numbers
// above it than below it, because smaller results have more digits than the value at the point.
INLINE $T erf_$S($T x) {
  const auto& terms = erf_terms_f64;
  const $T size = at_most_$S(abs_$S(x), 6.15234375 - ($T){}), magic = 0x1.8p+52 - ($T){};
  const $T shifted = (size * (256.0 / 105) - 0.25) + magic;
  const $T u = size - (shifted - magic) * 0.41015625;
  const $I point = __builtin_bit_cast($I, shifted);
  const $T uu = u * u;
  $T p = lookup_$S(terms[13], point);
  for (int i = 11; i > 0; i -= 2) {
    p = p * uu + (lookup_$S(terms[i + 1], point) * u + lookup_$S(terms[i], point));
  }
  const $T first = shifted == magic ? u : lookup_$S(terms[0], point);
  return with_sign_$S(first + u * p, x);
})"},
}};

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail
