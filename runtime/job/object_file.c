#include "job/object_file.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef ElfW(Ehdr) elf_header;
typedef ElfW(Phdr) elf_segment;

#define OWN_CLASS (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)

/* Whether so many bytes from `begin` on are in a file of this size. */
static bool holds(uint64_t size, uint64_t begin, uint64_t bytes)
{
    return begin <= size && bytes <= size - begin;
}

/* Whether all that is to be mapped is there. The table of segments is. */
static bool has_segments(int file, uint64_t size, const elf_header *head)
{
    for (int i = 0; i < head->e_phnum; i++) {
        elf_segment segment;
        off_t at = (off_t)(head->e_phoff + (uint64_t)i * head->e_phentsize);
        if (pread(file, &segment, sizeof segment, at) != sizeof segment)
            return false;
        if (segment.p_type == PT_LOAD && !holds(size, segment.p_offset, segment.p_filesz))
            return false;
    }
    return true;
}

static bool is_whole(int file, uint64_t size)
{
    elf_header head;
    ssize_t n = pread(file, &head, sizeof head, 0);
    if (n < SELFMAG || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
        return true;
    if (n < (ssize_t)sizeof head)
        return false;
    if (head.e_ident[EI_CLASS] != OWN_CLASS || head.e_phentsize != sizeof(elf_segment))
        return true;
    return holds(size, head.e_phoff, (uint64_t)head.e_phnum * head.e_phentsize)
        && holds(size, head.e_shoff, (uint64_t)head.e_shnum * head.e_shentsize)
        && has_segments(file, size, &head);
}

bool plb_object_is_truncated(const char *path)
{
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    bool cut = fstat(file, &info) == 0 && S_ISREG(info.st_mode) && !is_whole(file, (uint64_t)info.st_size);
    close(file);
    return cut;
}
