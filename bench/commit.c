/* Asks git. */
#include "commit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *commit_now(void)
{
    char line[128] = "";
    FILE *f = popen("git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null", "re");
    if (!f)
        return NULL;
    char *got = fgets(line, sizeof line, f);
    int status = pclose(f);
    line[strcspn(line, "\n")] = '\0';
    return got && !status && *line ? strdup(line) : NULL;
}
