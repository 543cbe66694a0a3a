/* APPNOTE.TXT of PKWARE, sections 4.3.7 (local header), 4.3.12 to 4.3.16 (central directory and its ends).
 *
 * The rule: no number of the file is believed before it is compared with the length of the file, and what is
 * read into memory has a limit. Members may overlap: each is read by itself. Weak at:
 * archives in several files, or with bytes before the first member, which are refused. */
#include "format/npy/zip.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define END_BYTES 22       /* of the end of the directory, without the comment */
#define MOST_COMMENT 65535 /* bytes, by its field of 16 bits */
#define LOCATOR_BYTES 20   /* tells where the end of zip64 is; it lies before the other end */
#define END64_BYTES 56
#define ENTRY_BYTES 46            /* of a member in the directory, without name, extra fields and comment */
#define LOCAL_BYTES 30            /* of a member's own header, without name and extra fields */
#define MOST_RATIO 1032           /* of a deflated member: bytes that one byte can become */
#define MOST_DIRECTORY (64 << 10) /* bytes; 64 members have about 4 KB */

/* Where the directory is. */
struct directory {
    uint64_t at, bytes, members;
};

static uint64_t number(const unsigned char *from, int bytes)
{
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; i--)
        value = value << 8 | from[i];
    return value;
}

static bool is(const unsigned char *at, const char *mark)
{
    return memcmp(at, mark, 4) == 0;
}

static int refuse(const struct plb_input_file *file, const char *why, const char *remedy,
                  struct plb_error *err)
{
    return plb_fail(err, PLB_EINPUT, "%s: %s; %s", file->path, why, remedy);
}

/* The end of the directory in the last bytes of the file; NULL: there is none. */
static const unsigned char *find_end(const unsigned char *tail, size_t bytes)
{
    for (size_t i = bytes < END_BYTES ? 0 : bytes - END_BYTES + 1; i-- > 0;)
        if (is(tail + i, "PK\5\6") && i + END_BYTES + number(tail + i + 20, 2) == bytes)
            return tail + i;
    return NULL;
}

/* Reads the directory's place in 64 bits. `end`: where the end of 32 bits is in the file. PLB_OK or
 * PLB_EINPUT; *found says whether there is one. */
static int read_end64(const struct plb_input_file *file, int64_t end, struct directory *directory,
                      bool *found, struct plb_error *err)
{
    unsigned char locator[LOCATOR_BYTES], end64[END64_BYTES];
    *found = false;
    if (end < LOCATOR_BYTES + END64_BYTES)
        return PLB_OK;
    if (plb_input_read_all(file, locator, sizeof locator, end - LOCATOR_BYTES, err) != PLB_OK)
        return err->status;
    uint64_t at = number(locator + 8, 8);
    if (!is(locator, "PK\6\7") || at > (uint64_t)(end - LOCATOR_BYTES - END64_BYTES))
        return PLB_OK;
    if (plb_input_read_all(file, end64, sizeof end64, (int64_t)at, err) != PLB_OK)
        return err->status;
    *found = is(end64, "PK\6\6");
    *directory = (struct directory){number(end64 + 48, 8), number(end64 + 40, 8), number(end64 + 32, 8)};
    return PLB_OK;
}

static int find_directory(const struct plb_input_file *file, const char *remedy, struct directory *directory,
                          struct plb_error *err)
{
    size_t bytes = file->bytes < END_BYTES + MOST_COMMENT ? (size_t)file->bytes : END_BYTES + MOST_COMMENT;
    unsigned char *tail = plb_grow(NULL, bytes + 1);
    bool found = true;
    int status = plb_input_read_all(file, tail, bytes, file->bytes - (int64_t)bytes, err);
    const unsigned char *end = status == PLB_OK ? find_end(tail, bytes) : NULL;
    if (status == PLB_OK && end == NULL)
        status = refuse(file, "is no complete .npz file: it lacks the list of members at its end", remedy,
                        err);
    if (status == PLB_OK) {
        int64_t end_at = file->bytes - (int64_t)bytes + (end - tail);
        *directory = (struct directory){number(end + 16, 4), number(end + 12, 4), number(end + 10, 2)};
        if (directory->at == UINT32_MAX || directory->bytes == UINT32_MAX || directory->members == UINT16_MAX)
            status = read_end64(file, end_at, directory, &found, err);
        if (status == PLB_OK
            && (!found || directory->at > (uint64_t)end_at
                || directory->bytes > (uint64_t)end_at - directory->at))
            status = refuse(file, "is damaged: its list of members is not where it should be", remedy, err);
    }
    free(tail);
    return status;
}

/* Replaces what does not fit into 32 bits by its value in the extra fields. The order is fixed. False: it is
 * not there. */
static bool widen(const unsigned char *extra, size_t bytes, uint64_t *const wide[], int n)
{
    while (bytes >= 4) {
        size_t length = number(extra + 2, 2), used = 0;
        if (length > bytes - 4)
            return false;
        for (int i = 0; i < n && number(extra, 2) == 1; i++) {
            if (*wide[i] != UINT32_MAX)
                continue;
            if (used + 8 > length)
                return false;
            *wide[i] = number(extra + 4 + used, 8);
            used += 8;
        }
        if (number(extra, 2) == 1)
            return true;
        extra += 4 + length;
        bytes -= 4 + length;
    }
    for (int i = 0; i < n; i++)
        if (*wide[i] == UINT32_MAX)
            return false;
    return true;
}

/* Finds a member's bytes, which begin behind its own header. `end`: where the directory begins. */
static int locate(const struct plb_input_file *file, const char *remedy, uint64_t header_at, uint64_t end,
                  struct plb_zip_member *member, struct plb_error *err)
{
    unsigned char local[LOCAL_BYTES] = {0};
    if (header_at <= end && end - header_at >= LOCAL_BYTES
        && plb_input_read_all(file, local, sizeof local, (int64_t)header_at, err) != PLB_OK)
        return err->status;
    uint64_t at = header_at + LOCAL_BYTES + number(local + 26, 2) + number(local + 28, 2);
    if (!is(local, "PK\3\4") || at > end || (uint64_t)member->packed > end - at)
        return refuse(file, "is damaged: a member is not where the list of members says", remedy, err);
    member->at = (int64_t)at;
    return PLB_OK;
}

/* Reads one member of the directory; *at moves behind it. */
static int read_member(const struct plb_input_file *file, const char *remedy,
                       const struct directory *directory, const unsigned char **at, const unsigned char *end,
                       struct plb_zip_member *member, struct plb_error *err)
{
    const unsigned char *e = *at;
    size_t left = (size_t)(end - e);
    if (left < ENTRY_BYTES || !is(e, "PK\1\2")
        || number(e + 28, 2) + number(e + 30, 2) + number(e + 32, 2) > left - ENTRY_BYTES)
        return refuse(file, "is damaged: its list of members is broken", remedy, err);
    size_t name = number(e + 28, 2), extra = number(e + 30, 2);
    uint64_t packed = number(e + 20, 4), bytes = number(e + 24, 4), header_at = number(e + 42, 4);
    uint64_t *const wide[] = {&bytes, &packed, &header_at};
    if (!widen(e + ENTRY_BYTES + name, extra, wide, 3))
        return refuse(file, "is damaged: its list of members lacks a length", remedy, err);
    uint64_t method = number(e + 10, 2);
    *member = (struct plb_zip_member){.form = (e[8] & 1) != 0 ? PLB_ZIP_OTHER
                                            : method == 0     ? PLB_ZIP_PLAIN
                                            : method == 8     ? PLB_ZIP_DEFLATED
                                                              : PLB_ZIP_OTHER,
                                      .crc = (uint32_t)number(e + 16, 4)};
    memcpy(member->name, e + ENTRY_BYTES, name < sizeof member->name ? name : sizeof member->name - 1);
    *at = e + ENTRY_BYTES + name + extra + number(e + 32, 2);
    if (member->form == PLB_ZIP_OTHER)
        return PLB_OK;
    bool fits = member->form == PLB_ZIP_PLAIN ? packed == bytes : bytes / MOST_RATIO <= packed;
    if (!fits || packed > (uint64_t)file->bytes)
        return refuse(file, "is damaged: a member has two lengths, or is longer than the file", remedy, err);
    member->packed = (int64_t)packed;
    member->bytes = (int64_t)bytes;
    return locate(file, remedy, header_at, directory->at, member, err);
}

int plb_zip_read(const struct plb_input_file *file, const char *remedy, struct plb_zip *zip,
                 struct plb_error *err)
{
    struct directory directory = {0};
    zip->n = 0;
    if (find_directory(file, remedy, &directory, err) != PLB_OK)
        return err->status;
    if (directory.members > PLB_ZIP_MOST || directory.bytes > MOST_DIRECTORY)
        return refuse(file, "has more members than a sparse matrix has", remedy, err);
    unsigned char *list = plb_grow(NULL, (size_t)directory.bytes + 1);
    const unsigned char *at = list, *end = list + directory.bytes;
    int status = plb_input_read_all(file, list, (size_t)directory.bytes, (int64_t)directory.at, err), n = 0;
    while (status == PLB_OK && n < (int)directory.members) {
        status = read_member(file, remedy, &directory, &at, end, &zip->at[n], err);
        for (int i = 0; i < n && status == PLB_OK; i++)
            if (strcmp(zip->at[i].name, zip->at[n].name) == 0)
                status = refuse(file, "has two members of one name", remedy, err);
        n++;
    }
    free(list);
    zip->n = status == PLB_OK ? n : 0;
    return status;
}
