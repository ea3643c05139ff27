(definition (def_head . ["def" (def_static)] @context . (identifier) @name)) @item
(type_decl "type" @context . (identifier) @name) @item
(enum_decl "enum" @context . (identifier) @name) @item
(effect_decl "effect" @context . (identifier) @name) @item
