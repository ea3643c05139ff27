## Derivatives of derivatives.
## >>> {value = energy([0.3, 0.8, 1.1]), gradient = grad(energy)([0.3, 0.8, 1.1]), hessian = hessian(energy)([0.3, 0.8, 1.1])}

def energy(x: f32[n]) -> f32 = sum(sin(x) ** 2) + 0.5 * sum(x) ** 2
