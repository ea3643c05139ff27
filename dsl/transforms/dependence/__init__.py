"""Which elements of the results of a linear function depend on which elements of its arguments, and how few products
with it tell all its coefficients.

`dsl.ir.columns` has the dependences of an array, `analysis` computes them equation by equation, `colours` groups
columns and rows that one product can tell apart, and `compressed` computes the coefficients so. Read in this order.
"""
