/* Writes made-up results as a result file: write_fixture FILE ARMS [INVOCATIONS [BLOCKS]]. */
#include "results/io.h"

#include "fixture.h"

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: %s FILE ARMS [INVOCATIONS [BLOCKS]]\n", argv[0]);
        return 2;
    }
    struct fixture f;
    struct fixture_spec spec = fixture_of((size_t)atoi(argv[2]));
    if (argc > 3)
        spec.invocations = atoi(argv[3]);
    if (argc > 4)
        spec.blocks = atoi(argv[4]);
    fixture_init(&f, &spec);
    struct result_writer *w = NULL;
    struct err err = {0};
    int rc = result_writer_open(argv[1], &f.result, &w, &err);
    for (size_t i = 0; i < f.result.ninvocations && !rc; i++)
        rc = result_writer_invocation(w, &f.result.invocations[i], &err);
    if (!rc)
        rc = result_writer_footer(w, &f.result, &err);
    result_writer_close(w);
    if (rc)
        fprintf(stderr, "%s\n", err.text);
    fixture_fini(&f);
    return rc != 0;
}
