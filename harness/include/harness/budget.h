/* How many CPUs this process may really use: the smallest of affinity mask, cpuset and CFS quota. */
#ifndef HARNESS_BUDGET_H
#define HARNESS_BUDGET_H

struct harness_budget {
    int cpus;      /* to plan with: at least 1, a quota rounded up */
    int affinity;  /* CPUs in the affinity mask, which the kernel keeps inside the cpuset */
    int installed; /* CPUs online in the machine */
    double quota;  /* CPUs' worth of time the tightest CFS quota up the cgroup tree grants; 0 = no quota */
    char quota_from[1100]; /* the file that says so */
    char text[128];        /* "2 (affinity mask; 12 online)", for people */
};

/* root: "" for this machine, or a folder with a recorded proc/ and sys/ (then `affinity` is the recorded
 * mask's count; 0 = ask the kernel). A missing or unreadable cgroup file counts as no quota at that level. */
void harness_budget_read(const char *root, int affinity, struct harness_budget *out);

#endif
