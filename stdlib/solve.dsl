# Equations, minima and integrals.
