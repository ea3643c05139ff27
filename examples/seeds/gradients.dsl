# Gradients: of one argument and of several, with the value, and with something on the side.

def sum_of_squares(x: f32[n]) -> f32 = sum(x ** 2)

def sum_squared_error(x: f32[n], y: f32[n]) -> f32 = sum((x - y) ** 2)

## The error, and on the side what it is made of.
def squared_error_with_aux(x: f32[n], y: f32[n]) -> (f32, f32[n]) = (sum_squared_error(x, y), x - y)

def slope(x: f32[n]) -> f32[n] = grad(sum_of_squares)(x)

def slopes(x: f32[n], y: f32[n]) -> (f32[n], f32[n]) = grad(sum_squared_error, argnums=(0, 1))(x, y)

def value_and_slope(x: f32[n], y: f32[n]) -> (f32, f32[n]) = value_and_grad(sum_squared_error)(x, y)

def slope_and_aux(x: f32[n], y: f32[n]) -> (f32[n], f32[n]) =
    grad(squared_error_with_aux, has_aux=true)(x, y)
