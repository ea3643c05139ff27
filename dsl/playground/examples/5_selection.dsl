## A size that data decide.
## >>> positive([3.0, -1.0, 0.5, -2.0])

def positive(x: f32[n]) = x[x > 0.0]
