/* Draws every picture of made-up results into a folder, for looking at: draw_fixture FOLDER [ARMS
 * [own|hostile [CPUS]]]. */
#include "plots/plot.h"

#include "fixture.h"

int main(int argc, char **argv)
{
    struct fixture f;
    struct err err = {0};
    struct fixture_spec spec = fixture_of(argc > 2 ? (size_t)atoi(argv[2]) : 8);
    static const char *const hostile[] = {"a name \"with\" {all} of_the^signs & <b>%s</b>",
                                          "\\",
                                          "",
                                          "'x'",
                                          "gr\xC3\xB6\xC3\x9F"
                                          "er \xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E and far too long to be "
                                          "shown in full anywhere in a picture of this kind",
                                          "e",
                                          "f",
                                          "g"};
    if (argc > 3 && !strcmp(argv[3], "hostile"))
        spec.names = hostile;
    if (argc > 4)
        spec.cpu_budget = atoi(argv[4]);
    fixture_init(&f, &spec);
    size_t n = 0;
    while (plot_list[n])
        n++;
    bool *drawn = calloc(n + 1, sizeof *drawn);
    struct plot_options opt = {.dir = argc > 1 ? argv[1] : "."};
    int rc = drawn ? plot_draw_many(plot_list, n, f.list, 1, &opt, drawn, &err) : -1;
    for (size_t i = 0; i < n; i++)
        if (!drawn || !drawn[i])
            fprintf(stderr, "%s: not drawn\n", plot_list[i]->name);
    if (rc)
        fprintf(stderr, "%s\n", err.text);
    free(drawn);
    fixture_fini(&f);
    return rc != 0;
}
