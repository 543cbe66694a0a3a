/* CRC32C: the vectors of RFC 3720, both ways to compute it, parts, and changed bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/crc32c.h"
#include "plb/kernel.h"

#define BYTES 1000

static void the_known_vectors(void **state)
{
    (void)state;
    unsigned char zeros[32] = {0}, ones[32], rising[32], falling[32];
    for (int i = 0; i < 32; i++) {
        ones[i] = 0xff;
        rising[i] = (unsigned char)i;
        falling[i] = (unsigned char)(31 - i);
    }
    const struct {
        const void *data;
        size_t bytes;
        uint32_t crc;
    } known[] = {{"", 0, 0x00000000u},    {"123456789", 9, 0xe3069283u}, {zeros, 32, 0x8a9136aau},
                 {ones, 32, 0x62a8ab43u}, {rising, 32, 0x46dd794eu},     {falling, 32, 0x113fdb5cu}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_int_equal(plb_crc32c(0, known[i].data, known[i].bytes), known[i].crc);
        assert_int_equal(plb_crc32c_by_table(0, known[i].data, known[i].bytes), known[i].crc);
    }
}

static void fill(unsigned char data[BYTES])
{
    for (int i = 0; i < BYTES; i++)
        data[i] = (unsigned char)plb_random_bits(13, (uint64_t)i);
}

static void table_and_instruction_agree_at_each_length_and_place(void **state)
{
    (void)state;
    unsigned char data[BYTES];
    fill(data);
    for (size_t first = 0; first < 9; first++)
        for (size_t bytes = 0; bytes < 100; bytes++)
            assert_int_equal(plb_crc32c(7, data + first, bytes), plb_crc32c_by_table(7, data + first, bytes));
}

static void parts_give_the_sum_of_the_whole(void **state)
{
    (void)state;
    unsigned char data[BYTES];
    fill(data);
    uint32_t whole = plb_crc32c(0, data, BYTES);
    for (size_t cut = 0; cut <= BYTES; cut++)
        assert_int_equal(plb_crc32c(plb_crc32c(0, data, cut), data + cut, BYTES - cut), whole);
}

static void each_changed_bit_is_seen(void **state)
{
    (void)state;
    unsigned char data[BYTES];
    fill(data);
    uint32_t whole = plb_crc32c(0, data, BYTES);
    for (int bit = 0; bit < 8 * BYTES; bit++) {
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_int_not_equal(plb_crc32c(0, data, BYTES), whole);
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_known_vectors),
        cmocka_unit_test(table_and_instruction_agree_at_each_length_and_place),
        cmocka_unit_test(parts_give_the_sum_of_the_whole),
        cmocka_unit_test(each_changed_bit_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
