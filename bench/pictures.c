/* Folders of pictures; see pictures.h. */
#include "pictures.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n > m && !strcmp(s + n - m, end);
}

static bool is_somebody_elses(const char *folder)
{
    struct stat st;
    if (!stat(folder, &st) && !S_ISDIR(st.st_mode))
        return true;
    DIR *dir = opendir(folder);
    bool anything = false, script = false;
    for (const struct dirent *e; dir && (e = readdir(dir)) && !script;) {
        anything = anything || (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."));
        script = ends_with(e->d_name, ".gp");
    }
    if (dir)
        closedir(dir);
    return anything && !script;
}

char *pictures_folder(const char *result)
{
    static const char suffix[] = ".jsonl";
    struct text t = {0};
    bool cut = ends_with(result, suffix);
    text_add_bytes(&t, result, strlen(result) - (cut ? sizeof suffix - 1 : 0));
    if (!cut || is_somebody_elses(text_get(&t)))
        text_add(&t, ".plots");
    return text_take(&t);
}
