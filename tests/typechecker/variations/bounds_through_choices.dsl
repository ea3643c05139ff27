#: kept = if c then <a> else <within> | if s then <a> else <within> | if k == 0 then <a> else <within> | if k > 1 then <within> else if c then <a> else <within> | where(c, <a>, <within>) | (if c then (<a>, 1.0) else (<within>, 2.0)).0 | (if s then (1.0, <a>) else (2.0, <within>)).1 | (if c then {at = <a>} else {at = <within>}).at | (if k == 0 then {at = {of = <within>}} else {at = {of = <a>}}).at.of | (fn u -> if c then u else <a>)(<within>) | jit(fn u -> if s then u else <a>)(<within>) | 3 - (if s then <a> else <within>)
#: lost = if c then <a> else <beyond> | if s then <a> else <beyond> | if k == 0 then <a> else <beyond> | if k > 1 then <beyond> else if c then <a> else <beyond> | where(c, <a>, <beyond>) | (if c then (<a>, 1.0) else (<beyond>, 2.0)).0 | (if s then (1.0, <a>) else (2.0, <beyond>)).1 | (if c then {at = <a>} else {at = <beyond>}).at | (if k == 0 then {at = {of = <beyond>}} else {at = {of = <a>}}).at.of | (fn u -> if c then u else <a>)(<beyond>) | jit(fn u -> if s then u else <a>)(<beyond>) | 3 - (if s then <a> else <beyond>)
#: a = clip(i, 0, 2) | 3
#: within = clip(i, 1, 3) | 0 | i % 4
#: beyond = clip(i, 1, 4) | i
#### bounds_of_all
def f(x: f32[n], i: i32, c: bool, static s: bool, static k: int) -> f32 where n >= 4 = x[<kept>]
#### bounds_of_all_arms
def f(x: f32[n], i: i32, static k: int) -> f32 where n >= 4 =
    let at = match k with
        0 -> <a>
        1 -> <within>
        _ -> 2
    x[at]
#### bounds_of_some
def f(x: f32[n], i: i32, c: bool, static s: bool, static k: int) -> f32 where n >= 4 = x[<lost>] #! E0701
#### bounds_of_some_arms
def f(x: f32[n], i: i32, static k: int) -> f32 where n >= 4 =
    let at = match k with
        0 -> <a>
        1 -> <beyond>
        _ -> 2
    x[at] #! E0701
