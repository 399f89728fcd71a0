// The only home of OpenSSL and xxHash.
#include <openssl/evp.h>
#include <xxhash.h>

#include <array>

#include "base/text.h"

namespace kedge::base {
namespace {

std::string digest_hex(const EVP_MD* kind, std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, kind, nullptr);
  std::string raw(digest.begin(), digest.begin() + length);
  return to_hex(raw);
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  return digest_hex(EVP_sha256(), bytes);
}
std::string md5_hex(std::string_view bytes) {
  return digest_hex(EVP_md5(), bytes);
}
std::uint64_t hash64(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace kedge::base
