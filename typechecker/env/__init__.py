"""The context of a location in a program: scope, facts, solved variables, and values.

`context` is the place an expression is checked at; `scope` holds its names, `values` what is known of a value,
`value_facts` its interval, `solver` the dtype variables, `effect_book` what is performed, `outcomes` what has been
found before.
"""
