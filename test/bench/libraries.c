/* make bench-libraries: code of plbrun beside a library that does the same, as lines "WHAT OURS THEIRS".
 * docs/inside/decisions.md says what follows. A library that is not installed has a dash. The best of several
 * tries, in CPU time.
 *
 *     number_6 number_17   ns for a number of so many digits: format/number.c, and strtod
 *     exp log              ns for an element of an array in the cache: kernels/blackscholes/elementary.h, and
 *                          SLEEF's deterministic functions of the widest vectors of this CPU
 *     exp_error log_error  the largest error of a million arguments, in units of 2^-53 of the result
 *     sum_8M sum_64        GB/s of a checksum of 8 MB and of 64 bytes: base/crc32c.c, and XXH3
 *     hash_100K            GB/s: base/hash.c, and XXH3
 *     zip_open             us to find the members of an archive of five: format/npy/zip.c, and minizip
 *     zip_inflate          MB/s that come out of a compressed member: format/inflate.c, and minizip */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "../../kernels/blackscholes/elementary.h"
#include "archive.h"
#include "base/crc32c.h"
#include "base/hash.h"
#include "base/memory.h"
#include "clock.h"
#include "format/npy/zip.h"
#include "format/number.h"
#include "plb/clones.h"

#if __has_include(<sleef.h>) && defined(__x86_64__)
#include <immintrin.h>
#define SLEEF 1
#endif
#if __has_include(<xxhash.h>)
#include <xxhash.h>
#define XXHASH 1
#endif
#if __has_include(<minizip/unzip.h>)
#include <minizip/unzip.h>
#define MINIZIP 1
#endif

enum {
    TRIES = 7,
    NUMBERS = 100000,
    ELEMENTS = 4096, /* 32 KB: half of a first-level cache */
    ROUNDS = 200,
    ARGUMENTS = 1 << 20,
    LARGE = 8 << 20,
    SMALL = 64,
    KERNEL = 100000, /* bytes of a kernel's file */
};

/* Something that the compiler cannot leave out. */
static volatile double kept;

/* The least seconds of a call. */
static double least(void (*call)(void *), void *context)
{
    double best = INFINITY;
    for (int i = 0; i < TRIES; i++) {
        double before = now();
        call(context);
        best = fmin(best, now() - before);
    }
    return best;
}

/* theirs below 0: the library is not there. */
static void print(const char *what, double ours, double theirs)
{
    if (theirs < 0.0)
        printf("%-12s %10.2f          -\n", what, ours);
    else
        printf("%-12s %10.2f %10.2f\n", what, ours, theirs);
}

/* ---------------------------------------------------------------------- numbers */

static char text[NUMBERS][32];

static void write_numbers(int digits)
{
    for (int i = 0; i < NUMBERS; i++) {
        uint64_t bits = (uint64_t)(i + 1) * 0x9E3779B97F4A7C15u;
        snprintf(text[i], sizeof text[i], "%.*g", digits, (double)(bits >> 11) * 0x1p-53);
    }
}

static void scan(void *unused)
{
    double sum = 0.0, value = 0.0;
    (void)unused;
    for (int i = 0; i < NUMBERS; i++) {
        plb_scan_decimal(text[i], false, &value);
        sum += value;
    }
    kept = sum;
}

static void scan_by_libc(void *unused)
{
    double sum = 0.0;
    (void)unused;
    for (int i = 0; i < NUMBERS; i++)
        sum += strtod(text[i], NULL);
    kept = sum;
}

static void bench_numbers(void)
{
    for (int digits = 6; digits <= 17; digits += 11) {
        char what[20];
        write_numbers(digits);
        snprintf(what, sizeof what, "number_%d", digits);
        print(what, 1e9 * least(scan, NULL) / NUMBERS, 1e9 * least(scan_by_libc, NULL) / NUMBERS);
    }
}

/* ------------------------------------------------------------------ exp and log */

/* One of the functions over an array. */
struct loop {
    void (*run)(double *to, const double *from, int n);
    double low, high; /* of its arguments */
    long double (*right)(long double x);
    double *from, *to;
};

PLB_CLONES static void our_exp(double *to, const double *from, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = fast_exp(from[i]);
}

PLB_CLONES static void our_log(double *to, const double *from, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = fast_log(from[i]);
}

#if SLEEF

/* The library's header has them only where the whole program is compiled for these vectors. */
__m512d Sleef_finz_expd8_u10avx512f(__m512d x);
__m512d Sleef_finz_logd8_u10avx512f(__m512d x);
__m256d Sleef_finz_expd4_u10avx2(__m256d x);
__m256d Sleef_finz_logd4_u10avx2(__m256d x);

__attribute__((target("avx512f"))) static void wide_exp(double *to, const double *from, int n)
{
    for (int i = 0; i < n; i += 8)
        _mm512_storeu_pd(to + i, Sleef_finz_expd8_u10avx512f(_mm512_loadu_pd(from + i)));
}

__attribute__((target("avx512f"))) static void wide_log(double *to, const double *from, int n)
{
    for (int i = 0; i < n; i += 8)
        _mm512_storeu_pd(to + i, Sleef_finz_logd8_u10avx512f(_mm512_loadu_pd(from + i)));
}

__attribute__((target("avx2,fma"))) static void middle_exp(double *to, const double *from, int n)
{
    for (int i = 0; i < n; i += 4)
        _mm256_storeu_pd(to + i, Sleef_finz_expd4_u10avx2(_mm256_loadu_pd(from + i)));
}

__attribute__((target("avx2,fma"))) static void middle_log(double *to, const double *from, int n)
{
    for (int i = 0; i < n; i += 4)
        _mm256_storeu_pd(to + i, Sleef_finz_logd4_u10avx2(_mm256_loadu_pd(from + i)));
}

/* NULL where this CPU has no vectors of the library. */
static void (*sleef(bool logs))(double *, const double *, int)
{
    if (__builtin_cpu_supports("avx512f"))
        return logs ? wide_log : wide_exp;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return logs ? middle_log : middle_exp;
    return NULL;
}

#else

static void (*sleef(bool logs))(double *, const double *, int)
{
    (void)logs;
    return NULL;
}

#endif

static void run_loop(void *context)
{
    const struct loop *l = context;
    for (int i = 0; i < ROUNDS; i++)
        l->run(l->to, l->from, ELEMENTS);
    kept = l->to[ELEMENTS - 1];
}

static void fill(const struct loop *l, int round)
{
    for (int i = 0; i < ELEMENTS; i++) {
        uint64_t bits = ((uint64_t)round * ELEMENTS + (uint64_t)i + 1) * 0x9E3779B97F4A7C15u;
        l->from[i] = l->low + (l->high - l->low) * (double)(bits >> 11) * 0x1p-53;
    }
}

/* The largest error in units of 2^-53 of the result. */
static double error_of(const struct loop *l)
{
    double worst = 0.0;
    for (int round = 0; round < ARGUMENTS / ELEMENTS; round++) {
        fill(l, round);
        l->run(l->to, l->from, ELEMENTS);
        for (int i = 0; i < ELEMENTS; i++) {
            long double right = l->right(l->from[i]);
            worst = fmax(worst, (double)fabsl((l->to[i] - right) / right) * 0x1p53);
        }
    }
    return worst;
}

static void bench_loop(const char *what, struct loop ours, bool logs)
{
    char errors[20];
    struct loop theirs = ours;
    theirs.run = sleef(logs);
    fill(&ours, 0);
    double each = 1e9 / ROUNDS / ELEMENTS;
    double one = each * least(run_loop, &ours);
    print(what, one, theirs.run != NULL ? each * least(run_loop, &theirs) : -1.0);
    snprintf(errors, sizeof errors, "%s_error", what);
    one = error_of(&ours);
    print(errors, one, theirs.run != NULL ? error_of(&theirs) : -1.0);
}

static void bench_elementary(void)
{
    double *from = plb_alloc(ELEMENTS * sizeof *from), *to = plb_alloc(ELEMENTS * sizeof *to);
    bench_loop("exp", (struct loop){our_exp, -30.0, 30.0, expl, from, to}, false);
    bench_loop("log", (struct loop){our_log, 1e-3, 1e3, logl, from, to}, true);
    free(from);
    free(to);
}

/* -------------------------------------------------------------------- checksums */

struct sum {
    const char *bytes;
    size_t n, times;
};

static void crc(void *context)
{
    const struct sum *s = context;
    uint32_t sum = 0;
    for (size_t i = 0; i < s->times; i++)
        sum = plb_crc32c(sum, s->bytes, s->n);
    kept = sum;
}

static void fnv(void *context)
{
    const struct sum *s = context;
    uint64_t hash = PLB_HASH_BEGIN;
    for (size_t i = 0; i < s->times; i++)
        hash = plb_hash(hash, s->bytes, s->n);
    kept = (double)hash;
}

static double xxh3(const struct sum *s);

#if XXHASH
static void run_xxh3(void *context)
{
    const struct sum *s = context;
    XXH64_hash_t sum = 0;
    for (size_t i = 0; i < s->times; i++)
        sum = XXH3_64bits_withSeed(s->bytes, s->n, sum);
    kept = (double)sum;
}

static double xxh3(const struct sum *s)
{
    return 1e-9 * (double)(s->n * s->times) / least(run_xxh3, (void *)s);
}
#else
static double xxh3(const struct sum *s)
{
    (void)s;
    return -1.0;
}
#endif

static void bench_sums(void)
{
    char *bytes = plb_alloc(LARGE);
    struct sum large = {bytes, LARGE, 4}, small = {bytes, SMALL, 100000}, file = {bytes, KERNEL, 20};
    for (size_t i = 0; i < LARGE; i++)
        bytes[i] = (char)(i * 7 + i / 251);
    print("sum_8M", 1e-9 * LARGE * 4 / least(crc, &large), xxh3(&large));
    print("sum_64", 1e-9 * SMALL * 100000 / least(crc, &small), xxh3(&small));
    print("hash_100K", 1e-9 * KERNEL * 20 / least(fnv, &file), xxh3(&file));
    free(bytes);
}

/* ------------------------------------------------------------------------- zips */

static char *unpacked;

/* Opens the archive; inflates: and reads its third member. */
static void read_archive(void *inflates)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_input_file file;
    static struct plb_zip zip;
    size_t got = 0;
    if (plb_input_open(&file, archive, "", &err) != PLB_OK || plb_zip_read(&file, "", &zip, &err) != PLB_OK)
        exit(1);
    const struct plb_zip_member *m = &zip.at[2];
    if (inflates != NULL) {
        struct plb_inflate *f = plb_inflate_new(archive, file.fd, m->at, m->packed, m->bytes, m->crc);
        if (plb_inflate_read(f, unpacked, MEMBER, 0, &got, &err) != PLB_OK || got != MEMBER)
            exit(1);
        plb_inflate_free(f);
    }
    plb_input_close(&file);
}

static double minizip(void *inflates);

#if MINIZIP
static void read_by_minizip(void *inflates)
{
    unzFile zip = unzOpen64(archive);
    if (zip == NULL || unzLocateFile(zip, "2", 1) != UNZ_OK)
        exit(1);
    if (inflates != NULL
        && (unzOpenCurrentFile(zip) != UNZ_OK || unzReadCurrentFile(zip, unpacked, MEMBER) != MEMBER
            || unzCloseCurrentFile(zip) != UNZ_OK))
        exit(1);
    unzClose(zip);
}

static double minizip(void *inflates)
{
    return least(read_by_minizip, inflates);
}
#else
static double minizip(void *inflates)
{
    (void)inflates;
    return -1.0;
}
#endif

static void bench_zips(void)
{
    unpacked = plb_alloc(MEMBER);
    write_archive();
    double theirs = minizip(NULL);
    print("zip_open", 1e6 * least(read_archive, NULL), 1e6 * theirs);
    theirs = minizip(archive);
    print("zip_inflate", 1e-6 * MEMBER / least(read_archive, archive),
          theirs < 0.0 ? -1.0 : 1e-6 * MEMBER / theirs);
    unlink(archive);
    free(unpacked);
}

int main(void)
{
    omp_set_num_threads(1); /* so that the clock is CPU time */
    printf("%-12s %10s %10s\n", "", "ours", "theirs");
    bench_numbers();
    bench_elementary();
    bench_sums();
    bench_zips();
    return 0;
}
