#: contradiction = n >= 3 and n < 2 | n < 0 | 2 * n == 1 | n % 2 == 0 and n == 5 | k > n and n > k | m > n and n >= m | k * k < 0 | flag and not flag | mode == Slow and mode == Fast | text == "a" and text == "b" | d == f16 and d == f32 | len(s) == 1 and len(s) == 2 | maybe == none and maybe != none | h > 1.0 and h < 0.5 | h >= 1.0 and h < 1.0 | h == 2 and h <= 1.5 | 0.5 < h and g == 1.0 and 0.25 >= h | false
#: doubtful = n >= 3 and n < 4 | n <= 0 | 2 * n == 4 | n % 2 == 1 and n == 5 | k > n or n > k | m >= n and n >= m | k * k <= 0 | flag or not flag | mode == Slow or mode == Fast | text != "a" and text != "b" | d == f16 or d == f32 | len(s) == 1 or len(s) == 2 | maybe == none or maybe != none | not flag | h > 1.0 or h < 0.5 | h >= 1.0 and h <= 1.0 | h == 2 and h > 1.5 | 0.5 < h and g == 1.0 and 0.75 >= h | true
#### conditions_of_a_definition
enum Mode = Slow | Fast
def f[d: Any](x: f32[n], y: d[m], static k: int, static flag: bool, static mode: Mode, static text: str, static s: ints, static maybe: int?, static g: float, static h: float) -> f32
    where <contradiction> = sum(x) #! E0407
#### conditions_beside_others
enum Mode = Slow | Fast
def f[d: Any](x: f32[n], y: d[m], static k: int, static flag: bool, static mode: Mode, static text: str, static s: ints, static maybe: int?, static g: float, static h: float) -> f32
    where k >= -5
    where <contradiction> = sum(x) #! E0407
#### conditions_of_an_operation
enum Mode = Slow | Fast
effect f[d: Any]: (x: f32[n], y: d[m], static k: int, static flag: bool, static mode: Mode, static text: str, static s: ints, static maybe: int?, static g: float, static h: float) -> f32 where <contradiction> #! E0407
#### conditions_of_a_definition_that_can_be_met
enum Mode = Slow | Fast
def f[d: Any](x: f32[n], y: d[m], static k: int, static flag: bool, static mode: Mode, static text: str, static s: ints, static maybe: int?, static g: float, static h: float) -> f32
    where <doubtful> = sum(x)
#### assertions_against_conditions
enum Mode = Slow | Fast
def f[d: Any](x: f32[n], y: d[m], static k: int, static flag: bool, static mode: Mode, static text: str, static s: ints, static maybe: int?, static g: float, static h: float) -> f32 ! check where not (<contradicted>) =
    assert <contradicted>, "never" #! E0717
    sum(x)
#### assertions_beside_conditions
enum Mode = Slow | Fast
def f[d: Any](x: f32[n], y: d[m], static k: int, static flag: bool, static mode: Mode, static text: str, static s: ints, static maybe: int?, static g: float, static h: float) -> f32 ! check where <contradicted> =
    assert <contradicted>, "always"
    sum(x)
#: contradicted = n >= 3 | 2 * n == 4 | n % 2 == 1 | k > n | m >= n | flag | mode == Slow | text == "a" | d == f32 | len(s) == 1 | maybe == none
