#: truth = down(k) | not down(k) | down(k) and k == 1 | k == 1 or down(k) | all([least(i) >= 1 for i in range(k, 3)]) | all([a == b for (a, b) in zip([1, 2][1 - k:], [1, 2])]) | any([down(i) for i in range(k, 2)]) | (if down(k) then 1 else 2) == 1 | 0 * fallen(k) + 2 * k >= 1
#: use = if t(k) then x[0] else x[1] | chosen(x, t(k)) | limited(x, k) | denied(x, k) | sum(zeros([if t(k) then 1 else 2])) | sized(x, k)[0] | if outer([k]) then x[0] else x[1] | chosen(x, outer([k]))
#: call = f(x, <k>) | grad(fn v -> f(v, <k>))(x)[0] | sum([f(v, <k>) for v in [x, x]])
#: k = 1
#### truth_with_a_value
static def least(k: int) -> int where k > 0 = k
static def down(k: int) -> bool = if k == 1 then true else down(k - 1)
static def fallen(k: int) -> int = if k == 1 then 0 else fallen(k - 1)
static def t(k: int) -> bool = <truth>
static def outer(s: ints) -> bool = all([t(k) for k in s])
def chosen(x: f32[2], static b: bool) -> f32 = if b then x[0] else x[1]
def limited(x: f32[2], static k: int) -> f32 where t(k) or k == 1 = sum(x)
def denied(x: f32[2], static k: int) -> f32 where not t(k) or k == 1 = sum(x)
def sized(x: f32[2], static k: int) -> f32[if t(k) then 1 else 2] = x[:if t(k) then 1 else 2]
def f(x: f32[2], static k: int) -> f32 = <use>
def g(x: f32[2]) -> f32 = <call>
