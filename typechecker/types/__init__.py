"""Types as a program writes them, and questions about them: `type_expressions` elaborates, `instance` substitutes
the variables of a signature at a call, `predicates` and `type_classes` answer questions."""
