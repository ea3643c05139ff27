" Vim syntax file of puredsl, written by `python -m dsl.editors.vim` from the grammar of the language.

if exists("b:current_syntax")
  finish
endif
syntax case match
syntax sync fromstart

syntax match dslSign ;\v\!%(\=)@!|\,|\-%(\>)@!|\+|\~|\-\=|\*\=|\/\=|\%\=|\@\=|\&\=|\|\=|\^\=|\*\*\=|\/\/\=|\<\<\=|\>\>\=|\:%(\=)@!|\:\=|\+\=|\=%(\=)@!|\(|\)|\*%(\*)@!|\*\*%(\=)@!|\*%([*=])@!|\/\/%(\=)@!|\/%([\/=])@!|\<\<%(\=)@!|\>\>%(\=)@!|\<\=|\>\=|\=\=|\!\=|\<%([<=])@!|\>%([>=])@!|\+%(\=)@!|\-%([=>])@!|\%%(\=)@!|\@%(\=)@!|\&%(\=)@!|\|%([=>])@!|\^%(\=)@!|and%(\w)@!|or%(\w)@!|\-\>|\.%(\.)@!|\.\.\.|\?|\[|\]|\{|\|%(\>)@!|\|\>|\};
syntax match dslName ;\v%(%(def|static|type|enum|effect|import|from|as|let|fn|if|then|else|match|with|do|fold|scan|iterate|while|for|in|assert|and|or|not|true|false|none)%(\w)@!)@!\h\w*;
syntax match dslCall ;\v%(%(def|static|type|enum|effect|import|from|as|let|fn|if|then|else|match|with|do|fold|scan|iterate|while|for|in|assert|and|or|not|true|false|none)%(\w)@!)@!\h\w*%(\()@=;
syntax match dslDtype ;\v%(\w)@<!%(bf16|bool|c128|c64|f16|f32|f64|i16|i32|i64|i8|u16|u32|u64|u8)%(\w)@!;
syntax match dslKeyword ;\v%(\.)@<!%(%(<|>)limit )@<!%(%(<|>)record )@<!%(%(<|>)reverse )@<!%(%(<|>)unroll )@<!%(%(<|>)where )@<!%(\w)@<!%(limit|record|reverse|unroll|where)%(\w)@!%(\s+[0-9A-Za-z_(?])@=%(\s+%(\w)@<!%(and|as|assert|def|effect|else|enum|fold|for|from|import|in|iterate|let|match|or|scan|static|then|type|while|with)%(\w)@!)@!;
syntax match dslKeyword ;\v%(%(<|>)with )@<=%(\w)@<!%(accum|checks|handler|rng|scope|state)%(\w)@!|%(\w)@<!%(accum|checks|handler|rng|scope|state)%(\w)@!%(\s+\w+\s*[=:])@=;
syntax match dslKeyword ;\v%(\w)@<!%(and|as|assert|def|do|effect|else|enum|fn|fold|for|from|if|import|in|iterate|let|match|not|or|scan|static|then|type|while|with)%(\w)@!;
syntax match dslConstant ;\v%(\w)@<!%(false|none|true)%(\w)@!;
syntax match dslType ;\v%(%(<|>)type )@<=%(%(def|static|type|enum|effect|import|from|as|let|fn|if|then|else|match|with|do|fold|scan|iterate|while|for|in|assert|and|or|not|true|false|none)%(\w)@!)@!\h\w*|%(%(<|>)enum )@<=%(%(def|static|type|enum|effect|import|from|as|let|fn|if|then|else|match|with|do|fold|scan|iterate|while|for|in|assert|and|or|not|true|false|none)%(\w)@!)@!\h\w*|%(%(<|>)effect )@<=%(%(def|static|type|enum|effect|import|from|as|let|fn|if|then|else|match|with|do|fold|scan|iterate|while|for|in|assert|and|or|not|true|false|none)%(\w)@!)@!\h\w*|%(\w)@<![A-Z]\w*;
syntax match dslFunction ;\v%(%(<|>)def )@<=%(%(def|static|type|enum|effect|import|from|as|let|fn|if|then|else|match|with|do|fold|scan|iterate|while|for|in|assert|and|or|not|true|false|none)%(\w)@!)@!\h\w*;
syntax match dslAttribute ;\v^\@%(%(def|static|type|enum|effect|import|from|as|let|fn|if|then|else|match|with|do|fold|scan|iterate|while|for|in|assert|and|or|not|true|false|none)%(\w)@!)@!\h\w*;
syntax match dslNumber ;\v%(0[xX][0-9a-fA-F]+%(_[0-9a-fA-F]+)*|[0-9]+%(_[0-9]+)*%(\.[0-9]+%(_[0-9]+)*)?%([eE][+-]?[0-9]+)?j?)%(\w|\.[0-9])@!;
syntax match dslString ;\v\"%([^"\\]|\\.)*\";
syntax match dslComment ;\v\#.*;
syntax match dslDoc ;\v\#\#.*;

highlight default link dslDoc SpecialComment
highlight default link dslComment Comment
highlight default link dslString String
highlight default link dslNumber Number
highlight default link dslAttribute PreProc
highlight default link dslFunction Function
highlight default link dslType Type
highlight default link dslKeyword Keyword
highlight default link dslConstant Constant
highlight default link dslDtype Type
highlight default link dslCall Function
highlight default link dslName Identifier
highlight default link dslSign Operator

let b:current_syntax = "puredsl"
