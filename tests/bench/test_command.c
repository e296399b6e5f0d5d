#include "bench/command.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "option_kind.h"
#include "testing/cmocka.h"

static void check_text(const char *what, const char *s)
{
    size_t n = s ? strlen(s) : 0;
    if (!n || s[n - 1] == '.' || s[n - 1] == '\n')
        fail_msg("%s: '%s' is empty, or ends in a full stop", what, s ? s : "");
}

static void check_option(const struct bench_command *c, size_t i)
{
    const struct bench_option *o = &c->options.item[i];
    bench__option_kind(o); /* asserts that the member has the kind's size */
    check_text(o->name, o->help);
    if (o->offset + o->size > c->settings_size)
        fail_msg("%s --%s lies outside the settings", c->name, o->name);
    if (o->kind == BENCH_OPTION_CHOICE && !o->choices)
        fail_msg("%s --%s has no choices", c->name, o->name);
    if (o->min > o->max)
        fail_msg("%s --%s: no value lies in its limits", c->name, o->name);
    if (!strcmp(o->name, "help") || o->letter == 'h')
        fail_msg("%s --%s takes what belongs to --help", c->name, o->name);
    bool names_a_file = o->kind == BENCH_OPTION_TEXT && o->arg &&
                        (strstr(o->arg, "FILE") || strstr(o->arg, "FOLDER") || strstr(o->arg, ".jsonl"));
    if (names_a_file != (o->file != BENCH_FILE_NONE) && !(o->arg && !strcmp(o->arg, "PROGRAM")))
        fail_msg("%s --%s: .file and .arg do not say the same", c->name, o->name);
    if (o->arg && (strstr(o->arg, "|-") != NULL) != (o->file == BENCH_FILE_OR_OUTPUT))
        fail_msg("%s --%s: '-' is taken, or said to be", c->name, o->name);
    for (size_t j = 0; j < i; j++) {
        const struct bench_option *other = &c->options.item[j];
        if (!strcmp(o->name, other->name) || (o->letter && o->letter == other->letter))
            fail_msg("%s --%s is there twice", c->name, o->name);
    }
}

/* Options of a group stand together: a heading comes once. */
static void check_groups(const struct bench_command *c)
{
    for (size_t i = 1; i < c->options.n; i++) {
        const char *group = c->options.item[i].group;
        const char *last = c->options.item[i - 1].group;
        if (!group || !last || !strcmp(group, last))
            continue;
        for (size_t j = 0; j < i; j++)
            if (c->options.item[j].group && !strcmp(c->options.item[j].group, group))
                fail_msg("%s: group '%s' is split", c->name, group);
    }
}

static void every_command_and_option_is_well_formed(void **state)
{
    (void)state;
    for (size_t i = 0; i < bench_ncommands; i++) {
        const struct bench_command *c = bench_commands[i];
        check_text(c->name, c->summary);
        assert_non_null(c->run);
        assert_ptr_equal(bench_command_find(c->name), c);
        assert_true(c->options.n <= BENCH_OPTIONS_MAX);
        for (size_t j = 0; j < c->options.n; j++)
            check_option(c, j);
        check_groups(c);
    }
    assert_null(bench_command_find("nonsense"));
}

static void every_initial_value_lies_in_its_own_limits(void **state)
{
    (void)state;
    for (size_t i = 0; i < bench_ncommands; i++) {
        const struct bench_command *c = bench_commands[i];
        void *settings = calloc(1, c->settings_size + 1);
        struct err err = {0};
        if (bench_options_init(c->options, settings, &err))
            fail_msg("%s: %s", c->name, err.text);
        char *echo = bench_options_echo(c->options, settings);
        assert_non_null(echo);
        free(echo);
        bench_options_fini(c->options, settings);
        free(settings);
    }
}

/* What an option says when a value lies outside is what its help says of the limits. */
static void check_limits(const struct bench_command *c, const struct bench_option *o, void *settings)
{
    bool whole = o->kind == BENCH_OPTION_INT || o->kind == BENCH_OPTION_INTS;
    struct text limits = {0}, want = {0};
    struct err err = {0};
    bench_option_limits(o, &limits);
    char *end = strpbrk(limits.data, ";,");
    char *word = strstr(limits.data, " or ");
    if (end)
        *end = '\0';
    if (word)
        *word = '\0';
    text_addf(&want, "outside %s", limits.data);
    int rc = bench_option_set(c->options, o->name, whole ? "99999999999999999999" : "1e300", settings, &err);
    if (!rc || !strstr(err.text, text_get(&want)))
        fail_msg("%s --%s: '%s' does not say '%s'", c->name, o->name, err.text, text_get(&want));
    text_fini(&limits);
    text_fini(&want);
}

static void help_and_errors_say_limits_alike(void **state)
{
    (void)state;
    size_t n = 0;
    for (size_t i = 0; i < bench_ncommands; i++) {
        const struct bench_command *c = bench_commands[i];
        void *settings = calloc(1, c->settings_size + 1);
        for (size_t j = 0; j < c->options.n; j++)
            if (bench__option_kind(&c->options.item[j])->ranged && c->options.item[j].max != 0) {
                check_limits(c, &c->options.item[j], settings);
                n++;
            }
        bench_options_fini(c->options, settings);
        free(settings);
    }
    assert_true(n > 20);
}

static void manual_and_completion_name_every_command_and_option(void **state)
{
    (void)state;
    struct text manual = {0}, completion = {0};
    bench_manual(&manual);
    bench_completion(&completion);
    assert_false(manual.failed || completion.failed);
    for (size_t i = 0; i < bench_ncommands; i++) {
        const struct bench_command *c = bench_commands[i];
        for (size_t j = 0; !c->hidden && j < c->options.n; j++) {
            struct text roff = {0}, shell = {0};
            text_addf(&shell, "--%s", c->options.item[j].name);
            for (const char *s = text_get(&shell); *s; s++)
                text_addf(&roff, "%s%c", *s == '-' ? "\\" : "", *s);
            bool hidden = c->options.item[j].hidden;
            if (!hidden && !strstr(text_get(&manual), text_get(&roff)))
                fail_msg("the manual lacks %s %s", c->name, text_get(&shell));
            if (!hidden && !strstr(text_get(&completion), text_get(&shell)))
                fail_msg("the completion lacks %s %s", c->name, text_get(&shell));
            text_fini(&roff);
            text_fini(&shell);
        }
    }
    text_fini(&manual);
    text_fini(&completion);
}

/* What a line says and exits with; out and err are freed by the caller. */
static int say(const char *a, const char *b, char **out, char **err)
{
    char *argv[] = {(char *)"loaderbench", (char *)a, (char *)b, NULL};
    size_t n;
    FILE *out_file = open_memstream(out, &n), *err_file = open_memstream(err, &n);
    int code = bench_dispatch(b ? 3 : 2, argv, out_file, err_file);
    fclose(out_file);
    fclose(err_file);
    return code;
}

static void results_and_complaints_go_their_own_ways(void **state)
{
    (void)state;
    char *out, *err;
    assert_int_equal(say("list", "commands", &out, &err), BENCH_EXIT_DONE);
    assert_string_equal(err, "");
    assert_int_equal(strncmp(out, "Commands:\n", 10), 0);
    free(out);
    free(err);
    assert_int_equal(say("list", "--no", &out, &err), BENCH_EXIT_USAGE);
    assert_string_equal(out, "");
    assert_string_equal(err, "loaderbench list: unknown option '--no' (--help lists them)\n");
    free(out);
    free(err);
}

static void a_complaint_is_one_line_whatever_it_quotes(void **state)
{
    (void)state;
    char *out, *err;
    assert_int_equal(say("list", "--a\nb\x1b[31m\xc2\x9bmé", &out, &err), BENCH_EXIT_USAGE);
    assert_string_equal(err, "loaderbench list: unknown option '--a b [31m mé' (--help lists them)\n");
    free(out);
    free(err);
}

/* Exit status of a child that is told to stop `times` times. */
static int stopped_child(int times)
{
    pid_t pid = fork();
    if (pid == 0) {
        bench_stop_on_signals();
        for (int i = 0; i < times; i++)
            raise(SIGINT);
        _exit(*bench_stop_flag() ? 42 : 1);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void the_first_interrupt_asks_and_the_second_ends(void **state)
{
    (void)state;
    assert_int_equal(*bench_stop_flag(), 0);
    int status = stopped_child(1);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 42);
    status = stopped_child(2);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(every_command_and_option_is_well_formed),
        cmocka_unit_test(every_initial_value_lies_in_its_own_limits),
        cmocka_unit_test(help_and_errors_say_limits_alike),
        cmocka_unit_test(manual_and_completion_name_every_command_and_option),
        cmocka_unit_test(results_and_complaints_go_their_own_ways),
        cmocka_unit_test(a_complaint_is_one_line_whatever_it_quotes),
        cmocka_unit_test(the_first_interrupt_asks_and_the_second_ends),
    };
    return CASES(cases);
}
