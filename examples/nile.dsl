# The flow of the Nile at Aswan (Cobb 1978): a level that wanders, seen with errors whose tails are heavy or not. Particles
# carry the levels of all years, so that those that are left at the end are draws of the whole path.

import prob
import random

## A path of levels, and how many of them are known.
type Path[n] = {levels: f32[n], count: i32}
## The logarithm of the probability of the series, the mean of the level of each year and the deviation from it, given the
## whole series, and how many particles count in each year.
type Filtered[n] = {log_evidence: f32, level: f32[n], deviation: f32[n], effective: f32[n]}

# The errors have Student's t distribution with `df` degrees of freedom; they are normal for df = inf.
def log_weight(error: f32, noise: f32, df: f32) -> f32 =
    if df == inf then
        prob.normal(0.0, noise).log_density(error)
    else
        prob.student_t(df, 0.0, noise).log_density(error)

## The level before the first year is `first`, with deviation `spread`; from year to year it moves by `drift`.
def filtered(
    key: key,
    y: f32[n],
    first: f32,
    spread: f32,
    drift: f32,
    noise: f32,
    df: f32,
    static particles: size
) -> Filtered[n] where n >= 1 and particles >= 1 =
    let begin = fn k -> {levels = full([n], first + spread * random.normal(k)), count = i32(0)}
    let move = fn (s: Path[n], k) ->
        let last = s.levels[clip(s.count - 1, 0, n - 1)]
        {
            levels = s.levels.at[clip(s.count, 0, n - 1)].set(last + drift * random.normal(k)),
            count = s.count + 1
        }
    let weigh = fn (s: Path[n], v) -> log_weight(
        v - s.levels[clip(s.count - 1, 0, n - 1)],
        noise,
        df
    )
    let found = prob.particle_filter(begin, move, weigh, y, key, particles=particles)
    let weights = exp(found.log_weights)
    let level = weights @ found.particles.levels
    let square_mean = weights @ square(found.particles.levels - level[None, :])
    {
        log_evidence = found.log_evidence,
        level = level,
        deviation = sqrt(square_mean),
        effective = found.effective
    }
