/* The build id is a note that the linker leaves in the program, and the program is the first object that is loaded.
 * Source: elf(5), NT_GNU_BUILD_ID. */
#include "build_id.h"

#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static size_t padded(size_t n)
{
    return (n + 3) & ~(size_t)3;
}

static void find_in_notes(const char *note, size_t bytes, char *out)
{
    ElfW(Nhdr) n;
    for (size_t at = 0; at + sizeof n <= bytes; at += sizeof n + padded(n.n_namesz) + padded(n.n_descsz)) {
        memcpy(&n, note + at, sizeof n);
        const unsigned char *id = (const unsigned char *)note + at + sizeof n + padded(n.n_namesz);
        bool whole = sizeof n + padded(n.n_namesz) + padded(n.n_descsz) <= bytes - at;
        if (!whole || n.n_type != NT_GNU_BUILD_ID || n.n_namesz != 4 ||
            memcmp(note + at + sizeof n, "GNU", 4))
            continue;
        for (size_t i = 0; i < n.n_descsz && 2 * i + 2 < BUILD_ID_TEXT; i++)
            snprintf(out + 2 * i, 3, "%02x", id[i]);
    }
}

static int look_at(struct dl_phdr_info *program, size_t size, void *out)
{
    (void)size;
    for (int i = 0; i < program->dlpi_phnum; i++)
        if (program->dlpi_phdr[i].p_type == PT_NOTE)
            find_in_notes((const char *)(program->dlpi_addr + program->dlpi_phdr[i].p_vaddr),
                          program->dlpi_phdr[i].p_memsz, out);
    return 1; /* no further object */
}

char *build_id(char out[BUILD_ID_TEXT])
{
    *out = '\0';
    dl_iterate_phdr(look_at, out);
    return out;
}
