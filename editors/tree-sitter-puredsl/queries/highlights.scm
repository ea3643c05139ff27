; Written by `python -m dsl.editors.tree_sitter`. Of several patterns that match a node the last one counts.

(identifier) @variable
(comment) @comment
((comment) @comment.documentation (#match? @comment.documentation "^##"))
(string) @string
[(number) (position)] @number
(boolean) @boolean
(none) @constant.builtin
(attribute "@" @attribute . (identifier) @attribute)
(type_index . (identifier) @type)
((identifier) @type.builtin (#any-of? @type.builtin "bf16" "bool" "c128" "c64" "f16" "f32" "f64" "i16" "i32" "i64" "i8" "u16" "u32" "u64" "u8"))
(path_more . (identifier) @module)
(import_plain (identifier) @module)
(import_as "import" . (identifier) @module)
(from_import "from" . (identifier) @module)
(param_plain . (identifier) @variable.parameter)
(param_static . "static" . (identifier) @variable.parameter)
(lambda_expr "fn" . (identifier) @variable.parameter)
(lambda_param . (identifier) @variable.parameter)
(argument_named . (identifier) @variable.parameter)
(field "." . (identifier) @property)
(pair . (identifier) @property)
(call . (identifier) @function.call)
(call . (field "." . (identifier) @function.call))
(call_empty . (identifier) @function.call)
(call_empty . (field "." . (identifier) @function.call))
(definition (def_head . "def" . (identifier) @function))
(definition (def_head . (def_static) . (identifier) @function))
(type_decl . "type" . (identifier) @type)
(enum_decl . "enum" . (identifier) @type)
(effect_decl . "effect" . (identifier) @type)
(variant_fields . (identifier) @constructor)
(arm_variant . (identifier) @constructor)
["!=" "%" "%=" "&" "&=" "*" "**" "**=" "*=" "+" "+=" "-" "-=" "/" "//" "//=" "/=" ":=" "<" "<<" "<<=" "<=" "==" ">" ">=" ">>" ">>=" "@" "@=" "^" "^=" "|" "|=" "~" "|>" "->" "="] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," "." ":"] @punctuation.delimiter
["accum" "and" "as" "assert" "checks" "def" "do" "effect" "else" "enum" "fn" "fold" "for" "from" "handler" "if" "import" "in" "iterate" "let" "limit" "match" "not" "or" "record" "reverse" "rng" "scan" "scope" "state" "static" "then" "type" "unroll" "where" "while" "with"] @keyword
