#### tab_indents
def f(x: f32) -> f32 =
	x + 1.0 #! E01
#### unclosed_parenthesis
def f(x: f32) -> f32 = sqrt(x + 1.0 #! E01

def g(x: f32) -> f32 = x
#### unclosed_bracket_in_type
def f(x: f32[n, d -> f32[n] = sum(x, axis=1) #! E01
#### closing_bracket_too_many
def f(x: f32) -> f32 = sqrt(x)) #! E01
#### wrong_closing_bracket
def f(x: f32[3]) -> f32 = sum(x[0:2)] #! E01
#### colon_instead_of_equals
def f(x: f32) -> f32: #! E01
    x + 1.0
#### return_statement
def f(x: f32) -> f32 =
    return x + 1.0 #! E01
#### for_statement
def f(x: f32[n]) -> f32 =
    let total = 0.0
    for v in x: #! E01
        total + v
#### while_statement
def f(x: f32) -> f32 =
    while x > 1.0: #! E01
        x / 2.0
#### if_with_colon
def f(x: f32) -> f32 =
    if x > 0.0: #! E01
        x
    else: #! E01
        -x
#### conditional_of_python
def f(x: f32) -> f32 = x if x > 0.0 else -x #! E01
#### lambda_of_python
def f(x: f32) -> f32 =
    let g = lambda v: v * 2.0 #! E01
    g(x)
#### if_without_else
def f(x: f32) -> f32 =
    if x > 0.0 then x #! E01
#### float_without_fraction
def f(x: f32) -> f32 = x * 2. #! E01
#### float_without_integer_part
def f(x: f32) -> f32 = x * .5 #! E01
#### number_followed_by_letter
def f(x: f32) -> f32 = 3x #! E01
#### number_with_suffix
def f(x: f32) -> f32 = x + 1.0f #! E01
#### number_with_two_points
def f(x: f32) -> f32 = x + 1.2.3 #! E01
#### single_quotes
def f(x: f32) -> f32 ! io =
    print('x {}', x) #! E01
    x
#### f_string
def f(x: f32) -> f32 ! io =
    print(f"x {x}") #! E01
    x
#### unterminated_string
def f(x: f32) -> f32 ! io =
    print("x {}, x) #! E01
    x
#### c_logic
def f(x: f32) -> bool = x > 0.0 && x < 1.0 #! E01
#### c_negation
def f(p: bool) -> bool = !p #! E01
#### chain_of_two_directions
def f(a: f32, b: f32, c: f32) -> bool = a < b > c #! E01
#### chain_with_equality_last_turns
def f(a: f32, b: f32, c: f32) -> bool = a >= b < c #! E01
#### nested_def
def f(x: f32) -> f32 =
    def g(v: f32) -> f32 = v * 2.0 #! E01
    g(x)
#### nested_type
def f(x: f32) -> f32 =
    type P = f32 #! E01
    x
#### block_ends_with_let
def f(x: f32) -> f32 =
    let y = x + 1.0 #! E01
#### empty_body
def f(x: f32) -> f32 = #! E01

def g(x: f32) -> f32 = x
#### expression_as_statement
def f(x: f32) -> f32 =
    x + 1.0 #! E0110
    x * 2.0
#### call_of_pure_function_as_statement
def f(x: f32[n]) -> f32 =
    let m = mean(x)
    sort(x) #! E0110
    m
#### literal_as_statement
def f(x: f32) -> f32 =
    "adds one" #! E0110
    x + 1.0
#### functional_update_as_statement
def f(x: f32[3]) -> f32[3] =
    x.at[0].set(1.0) #! E0110
    x
#### effectful_call_with_value_as_statement
# "an effectful call whose value is ()": this one returns a number.
def draw(x: f32) -> f32 ! io =
    print("{}", x)
    x
def f(x: f32) -> f32 ! io =
    draw(x) #! E0110
    x
#### name_as_statement
def f(x: f32) -> f32 =
    let y = x + 1.0
    y #! E0110
    x
#### dedent_to_no_block
def f(x: f32) -> f32 =
        let y = x + 1.0
    y #! E01
#### indent_without_opener
def f(x: f32) -> f32 =
    let y = x + 1.0
        let z = y #! E01
    y
#### line_starts_with_minus
# `-` can start a statement: the line above is a statement of its own.
def f(x: f32) -> f32 =
    x #! E0110
    - 1.0
#### pipe_cannot_continue_an_if_with_blocks
# A dedent ends the expression that owns the block, and `|>` may not continue it.
def f(x: f32) -> f32 =
    if x > 0.0 then
        x
    else
        -x
    |> sqrt #! E01
#### operand_fold_without_parentheses
def f(xs: f32[n]) -> f32 = 1.0 + fold a = 0.0 for x in xs do a + x #! E01
#### operand_if_without_parentheses
def f(x: f32) -> f32 = 2.0 * if x > 0.0 then x else -x #! E01
#### operand_lambda_without_parentheses
def f(x: f32) -> f32 = x + fn v -> v #! E01
#### comprehension_with_filter
def f(x: f32[n]) -> f32[n] = [v for v in x if v > 0.0] #! E01
#### dictionary_literal
def f(x: f32) -> {a: f32} = {a: x} #! E01
#### dictionary_of_strings
def f(x: f32) -> {a: f32} = {"a": x} #! E01
#### in_as_operator
def f(x: f32, xs: f32[n]) -> bool = any(x in xs) #! E0315
#### decorator
@jit #! E01
def f(x: f32) -> f32 = x
#### class_declaration
class Model: #! E01
    w = 3
#### statement_at_top_level
let a = 1.0
print("hello") #! E01
#### parameter_without_type
def f(x) -> f32 = 1.0 #! E01|E03
#### missing_comma_in_parameters
def f(x: f32 y: f32) -> f32 = x #! E01
#### missing_operand
def f(x: f32, y: f32) -> f32 = x * + #! E01
#### two_expressions_on_a_line
def f(x: f32) -> f32 =
    let y = x let z = y #! E01
    z
#### semicolons
def f(x: f32) -> f32 =
    let y = x; let z = y #! E01
    z
#### two_stars_in_parameters
def f(x: f32, *, a: f32, *, b: f32) -> f32 = x + a + b #! E01
#### walrus
def f(x: f32) -> f32 = (y := x + 1.0) * 2.0 #! E01
#### match_arms_on_one_line
enum Mode = Fast | Slow
def f(static m: Mode, x: f32) -> f32 = match m with Fast -> x #! E01
#### arrow_missing_in_lambda
def f(x: f32) -> f32 = (fn v v * 2.0)(x) #! E01
#### keyword_as_name
def f(in: f32) -> f32 = 1.0 #! E01
#### keyword_as_field
def f(p: {then: f32}) -> f32 = 1.0 #! E01
#### let_without_value
def f(x: f32) -> f32 =
    let y: f32 #! E01
    x
#### let_mut
def f(x: f32) -> f32 =
    let mut y = x #! E01
    y
#### starred_argument
def f(t: (f32, f32)) -> f32 = maximum(*t) #! E01|E03|E02
#### slice_outside_brackets
def f(x: f32[n]) -> f32[n] =
    let s = 1:3 #! E01
    x
#### limit_at_the_column_of_the_block
# "one that begins with `where` or `limit` does so only if it is indented deeper than the block it stands in"
def f(x: f32) -> f32 =
    iterate y = x while y > 1.0 #! E01
    limit 5 do y / 2.0
#### pattern_without_parentheses_in_let
def f(t: (f32, f32)) -> f32 =
    let a, b = t #! E01
    a + b
#### strange_character
def f(x: f32) -> f32 = x $ 2.0 #! E01
#### question_mark_operator
def f(x: f32) -> f32 = x > 0.0 ? x : -x #! E01
#### increment
def f(i: i32) -> i32 = i++ #! E01
#### two_errors_in_two_declarations
def f(x: f32) -> f32 = x + #! E01

def g(x: f32) -> f32 = x * 2.0

def h(x: f32) -> f32 = (x #! E01

def i(x: f32) -> f32 = g(x)
#### type_annotation_of_python
def f(x: f32) -> f32 =
    y: f32 = x + 1.0 #! E01|E06
    y
#### del_statement
def f(x: f32) -> f32 =
    let y = x
    del y #! E01
    x
#### generic_angle_brackets
def f<a>(x: f32) -> f32 = x #! E01
#### type_before_name
def f(f32 x) -> f32 = x #! E01
#### assert_without_condition
def f(x: f32) -> f32 ! check =
    assert #! E01
    x
#### else_without_if
def f(x: f32) -> f32 =
    let y = x
    else y #! E01
#### empty_index
def f(x: f32[n]) -> f32[n] = x[] #! E01
#### is_none
def f(static k: int?, x: f32) -> f32 = if k is none then x else 2.0 * x #! E01
#### not_equal_of_old
def f(x: i32) -> bool = x <> 3 #! E01
#### minus_does_not_continue
# `-` may start a statement, so a line that begins with it continues nothing
def f(x: f32, y: f32) -> f32 =
    let s = x
        - y #! E01
    s
#### block_in_brackets_without_for
def f(x: f32[n]) -> f32[n] =
    [
        let y = x[0]
        y
    ] #! E0101
#### block_in_a_list
def f(x: f32) -> f32[2] =
    [
        let y = x
        y, #! E0101
        x
    ]
#### block_in_parentheses
def f(x: f32) -> f32 = ( #! E0102
        let y = x
        y)
#### let_beside_its_value
def f(x: f32[n]) -> f32[n] = [let y = v; y for v in x] #! E0101
#### let_behind_for
def f(x: f32[n]) -> f32[n] = [y for v in x, let y = v] #! E0101
#### line_of_a_block_in_brackets
def f(x: f32[n]) -> f32[n] =
    [
        let y = v
          y #! E0104
        for v in x
    ]
#### let_after_the_value_of_a_comprehension
def f(x: f32[n]) -> f32[n] =
    [ #! E0102
        y
        let y = 1.0
        for v in x
    ]
#### name_of_a_block_in_brackets
def f(x: f32[n]) -> f32[n] = [
    let y = v
    z #! E0201
    for v in x
]
#### key_in_a_block_in_brackets
from random import normal
def f(k: key, x: f32[n]) -> f32[n] = [
    let y = normal(k) #! E0611
    y * v
    for v in x
]
