#: needs = where k >= 1 | where k >= 1 and n >= k | where k == 1 or k == 2 | where k % 2 == 1 | where 2 * k >= 1
#### default_against_a_condition
def stated(x: f32[n], static k: int = <bad>) -> f32 <needs> = sum(x) #! E0407
def beside(x: f32[n], static k: int = <good>) -> f32 <needs> = sum(x)
#: bad = 0 | -2 | 1 - 3
#: good = 1
def inferred(x: <small>[n], static k: int = <beyond>) -> <small>[n] = x * k #! E0407
def within(x: <small>[n], static k: int = 1) -> <small>[n] = x * k
#: small = i8 | u8
#: beyond = 300 | -129
