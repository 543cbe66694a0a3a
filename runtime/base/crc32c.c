/* A table of 256 entries, or eight bytes at a time by the processor. */
#include "base/crc32c.h"

#include <string.h>

#if defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#endif

/* The checksum of a byte is linear: that of 0x05 is the one of 0x04 XOR the one of 0x01. These are the
 * checksums of the eight single bits, by the reflected polynomial 0x82f63b78. */
#define BIT(i, bit, crc) ((i) & (bit) ? (crc) : 0u)
#define BYTE(i) \
    (BIT(i, 0x01, 0xf26b8303u) ^ BIT(i, 0x02, 0xe13b70f7u) ^ BIT(i, 0x04, 0xc79a971fu) \
     ^ BIT(i, 0x08, 0x8ad958cfu) ^ BIT(i, 0x10, 0x105ec76fu) ^ BIT(i, 0x20, 0x20bd8edeu) \
     ^ BIT(i, 0x40, 0x417b1dbcu) ^ BIT(i, 0x80, 0x82f63b78u))
#define BYTES_4(i) BYTE(i), BYTE((i) + 1), BYTE((i) + 2), BYTE((i) + 3)
#define BYTES_16(i) BYTES_4(i), BYTES_4((i) + 4), BYTES_4((i) + 8), BYTES_4((i) + 12)
#define BYTES_64(i) BYTES_16(i), BYTES_16((i) + 16), BYTES_16((i) + 32), BYTES_16((i) + 48)

static const uint32_t table[256] = {BYTES_64(0), BYTES_64(64), BYTES_64(128), BYTES_64(192)};

uint32_t plb_crc32c_by_table(uint32_t crc, const void *data, size_t bytes)
{
    crc = ~crc;
    for (const unsigned char *b = data; bytes > 0; bytes--, b++)
        crc = table[(crc ^ *b) & 0xffu] ^ (crc >> 8);
    return ~crc;
}

#if defined(__x86_64__) && defined(__GNUC__)

static int has_instruction(void)
{
    return __builtin_cpu_supports("sse4.2");
}

__attribute__((target("sse4.2"))) static uint32_t by_instruction(uint32_t crc, const void *data, size_t bytes)
{
    const unsigned char *b = data;
    uint64_t word, sum = ~crc;
    for (; bytes >= sizeof word; bytes -= sizeof word, b += sizeof word) {
        memcpy(&word, b, sizeof word);
        sum = __builtin_ia32_crc32di(sum, word);
    }
    uint32_t rest = (uint32_t)sum;
    for (; bytes > 0; bytes--, b++)
        rest = __builtin_ia32_crc32qi(rest, *b);
    return ~rest;
}

#elif defined(__ARM_FEATURE_CRC32)

static int has_instruction(void)
{
    return 1;
}

static uint32_t by_instruction(uint32_t crc, const void *data, size_t bytes)
{
    const unsigned char *b = data;
    uint64_t word;
    crc = ~crc;
    for (; bytes >= sizeof word; bytes -= sizeof word, b += sizeof word) {
        memcpy(&word, b, sizeof word);
        crc = __crc32cd(crc, word);
    }
    for (; bytes > 0; bytes--, b++)
        crc = __crc32cb(crc, *b);
    return ~crc;
}

#else

static int has_instruction(void)
{
    return 0;
}

#define by_instruction plb_crc32c_by_table

#endif

uint32_t plb_crc32c(uint32_t crc, const void *data, size_t bytes)
{
    return has_instruction() ? by_instruction(crc, data, bytes) : plb_crc32c_by_table(crc, data, bytes);
}
