/* Runs a fuzz target over the files of folders, where there is no libFuzzer: target FOLDER... */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "testing/fuzz.h"

static int replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return -1;
    uint8_t *data = NULL;
    size_t size = 0, got;
    do {
        uint8_t *more = realloc(data, size + 4096);
        if (!more)
            abort();
        data = more;
        size += got = fread(data + size, 1, 4096, f);
    } while (got);
    fclose(f);
    /* Its own block, of the very size, so that a sanitizer sees each byte beyond it. */
    uint8_t *exact = realloc(data, size ? size : 1);
    LLVMFuzzerTestOneInput(exact ? exact : data, size);
    free(exact ? exact : data);
    return 0;
}

int main(int argc, char **argv)
{
    int files = 0;
    for (int i = 1; i < argc; i++) {
        DIR *dir = opendir(argv[i]);
        for (struct dirent *e; dir && (e = readdir(dir));) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", argv[i], e->d_name);
            files += e->d_name[0] != '.' && !replay_file(path);
        }
        if (dir)
            closedir(dir);
    }
    printf("%d inputs\n", files);
    return files ? 0 : 1;
}
