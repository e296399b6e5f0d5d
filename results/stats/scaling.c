/* Least squares of ln(cost) by GSL's trust-region solver, started from the linear fit of N x cost. */
#include "results/stats/scaling.h"

#include <errno.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdlib.h>

#include "results/stats/order_statistic.h"

enum { PARAMETERS = 3, LEAST_POINTS = 4, ITERATIONS = 100 };

struct points {
    const double *workers; /* those that were measured */
    const double *ln_cost; /* of ns */
    size_t n;
};

/* N cost(N) = a + b (N - 1) + c N (N - 1); a = 1 / lambda, sigma = b / a, kappa = c / a. */
static double model(const double *abc, double workers)
{
    return abc[0] + abc[1] * (workers - 1) + abc[2] * workers * (workers - 1);
}

static int residuals(const gsl_vector *abc, void *data, gsl_vector *out)
{
    const struct points *p = data;
    for (size_t i = 0; i < p->n; i++) {
        double product = model(abc->data, p->workers[i]);
        if (!(product > 0))
            return GSL_EDOM;
        gsl_vector_set(out, i, log(product / p->workers[i]) - p->ln_cost[i]);
    }
    return GSL_SUCCESS;
}

static int jacobian(const gsl_vector *abc, void *data, gsl_matrix *out)
{
    const struct points *p = data;
    for (size_t i = 0; i < p->n; i++) {
        double w = p->workers[i], product = model(abc->data, w);
        gsl_matrix_set(out, i, 0, 1 / product);
        gsl_matrix_set(out, i, 1, (w - 1) / product);
        gsl_matrix_set(out, i, 2, w * (w - 1) / product);
    }
    return GSL_SUCCESS;
}

/* Weighted linear least squares by normal equations: weights 1 / (N cost)^2 make it the first step of the fit on
 * logarithms. */
static bool start(const struct points *p, double abc[PARAMETERS])
{
    double ata[PARAMETERS * PARAMETERS] = {0}, atb[PARAMETERS] = {0};
    for (size_t i = 0; i < p->n; i++) {
        double w = p->workers[i], product = w * exp(p->ln_cost[i]);
        double row[PARAMETERS] = {1 / product, (w - 1) / product, w * (w - 1) / product};
        for (int r = 0; r < PARAMETERS; r++) {
            atb[r] += row[r];
            for (int c = 0; c < PARAMETERS; c++)
                ata[r * PARAMETERS + c] += row[r] * row[c];
        }
    }
    gsl_matrix_view m = gsl_matrix_view_array(ata, PARAMETERS, PARAMETERS);
    gsl_vector_view b = gsl_vector_view_array(atb, PARAMETERS);
    gsl_vector_view x = gsl_vector_view_array(abc, PARAMETERS);
    return gsl_linalg_cholesky_decomp1(&m.matrix) == GSL_SUCCESS &&
           gsl_linalg_cholesky_solve(&m.matrix, &b.vector, &x.vector) == GSL_SUCCESS && abc[0] > 0;
}

static bool fit(struct points *p, double abc[PARAMETERS])
{
    if (p->n < LEAST_POINTS || !start(p, abc))
        return false;
    gsl_multifit_nlinear_parameters with = gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_workspace *w =
        gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &with, p->n, PARAMETERS);
    if (!w)
        return false;
    gsl_multifit_nlinear_fdf f = {.f = residuals, .df = jacobian, .n = p->n, .p = PARAMETERS, .params = p};
    gsl_vector_view at = gsl_vector_view_array(abc, PARAMETERS);
    int info, status = gsl_multifit_nlinear_init(&at.vector, &f, w);
    if (status == GSL_SUCCESS)
        status = gsl_multifit_nlinear_driver(ITERATIONS, 1e-10, 1e-12, 0, NULL, NULL, &info, w);
    /* no progress from a start that is exact already */
    bool fitted = status == GSL_SUCCESS || status == GSL_ENOPROG;
    for (int k = 0; k < PARAMETERS; k++)
        abc[k] = gsl_vector_get(gsl_multifit_nlinear_position(w), (size_t)k);
    gsl_multifit_nlinear_free(w);
    return fitted && abc[0] > 0;
}

static double peak_of(double sigma, double kappa)
{
    if (kappa <= 0)
        return INFINITY;
    return sigma < 1 ? fmax(1, sqrt((1 - sigma) / kappa)) : 1;
}

static struct stats_scaling_parameter parameter(double *x, size_t n, double level)
{
    struct stats_scaling_parameter p;
    stats_sort(x, n);
    p.value = n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2; /* infinities among them stay what they are */
    p.ci = stats_median_interval(x, n, level);
    return p;
}

/* One invocation's parameters into column n of out[4][ninvocations]. */
static bool fit_invocation(const int *workers, size_t npoints, const double *cost_ns, double *scratch,
                           double *out, size_t stride)
{
    struct points p = {.workers = scratch, .ln_cost = scratch + npoints};
    for (size_t i = 0; i < npoints; i++) {
        if (!isfinite(cost_ns[i]) || cost_ns[i] <= 0)
            continue;
        scratch[p.n] = workers[i];
        scratch[npoints + p.n++] = log(cost_ns[i]);
    }
    double abc[PARAMETERS];
    /* in units of the first cost, so that the solver sees numbers near 1 */
    double unit = p.n ? scratch[npoints] : 0;
    for (size_t i = 0; i < p.n; i++)
        scratch[npoints + i] -= unit;
    if (!fit(&p, abc))
        return false;
    out[0] = 1e9 / (abc[0] * exp(unit));
    out[stride] = abc[1] / abc[0];
    out[2 * stride] = abc[2] / abc[0];
    out[3 * stride] = peak_of(out[stride], out[2 * stride]);
    return true;
}

static int count_workers(const int *workers, size_t npoints, int *most, struct err *err)
{
    size_t different = 0;
    *most = 0;
    for (size_t i = 0; i < npoints; i++) {
        bool seen = false;
        for (size_t j = 0; j < i; j++)
            seen |= workers[j] == workers[i];
        different += !seen;
        *most = workers[i] > *most ? workers[i] : *most;
        if (workers[i] < 1)
            return err_set(err, -EINVAL, "a scaling curve starts at 1 worker, not %d", workers[i]);
    }
    if (different < LEAST_POINTS)
        return err_set(err, -EINVAL, "a scaling curve of 3 parameters needs %d numbers of workers, not %zu",
                       LEAST_POINTS, different);
    return 0;
}

int stats_scaling(const int *workers, size_t npoints, const double *cost_ns, size_t ninvocations,
                  double level, struct stats_scaling *out, struct err *err)
{
    *out = (struct stats_scaling){0};
    int rc = count_workers(workers, npoints, &out->most_workers, err);
    if (rc < 0)
        return rc;
    double *fits = malloc((4 * ninvocations + 2 * npoints + 1) * sizeof *fits);
    if (!fits)
        return err_set(err, -ENOMEM, "no memory for the curves of %zu invocations", ninvocations);
    double *scratch = fits + 4 * ninvocations;
    gsl_error_handler_t *before = gsl_set_error_handler_off();
    for (size_t i = 0; i < ninvocations; i++)
        out->n +=
            fit_invocation(workers, npoints, cost_ns + i * npoints, scratch, fits + out->n, ninvocations);
    gsl_set_error_handler(before);
    if (out->n == 0) {
        free(fits);
        return err_set(err, -EINVAL, "none of %zu invocations has a scaling curve", ninvocations);
    }
    out->lambda_per_s = parameter(fits, out->n, level);
    out->sigma = parameter(fits + ninvocations, out->n, level);
    out->kappa = parameter(fits + 2 * ninvocations, out->n, level);
    out->peak_workers = parameter(fits + 3 * ninvocations, out->n, level);
    free(fits);
    double limit = 2.0 * out->most_workers;
    out->peak_beyond = out->peak_workers.value > limit;
    out->peak_rate_per_s = stats_scaling_rate(out, fmin(limit, out->peak_workers.value), NULL);
    return 0;
}

double stats_scaling_rate(const struct stats_scaling *s, double workers, bool *beyond)
{
    if (beyond)
        *beyond = workers > 2.0 * s->most_workers;
    return s->lambda_per_s.value * workers /
           (1 + s->sigma.value * (workers - 1) + s->kappa.value * workers * (workers - 1));
}
