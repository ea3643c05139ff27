// The layout rule: indentation becomes _indent, _newline and _dedent, also inside brackets. It is that of
// `dsl/syntax/layout.py`, whose words it uses. Brackets, commas and the words `assert`, `fold`, `scan`, `for` are read
// here as well, since they say where a block ends that stands inside brackets. Layout tokens are empty. The state is kept
// with tokens alone: a line break behind a comma or a `[`, which ends no statement, is a token of its own.
#include "tree_sitter/alloc.h"
#include "tree_sitter/parser.h"

#include <string.h>

enum Token { INDENT, NEWLINE, DEDENT, LPAR, RPAR, LSQB, RSQB, LBRACE, RBRACE, COMMA, ASSERT, FOLD, SCAN, FOR, BREAK, RECOVERING };

// An open block (its column, no closer) or an open bracket. `loops` are those whose `for` is still to come.
typedef struct {
  uint16_t column;
  char closer;
  uint8_t state;
} Level;

enum { ASSERTS = 0x80, LOOPS = 0x7f, MOST = 200, LONGEST = 12 };

typedef struct {
  uint16_t depth;
  // The line ends behind the comma, or behind the `[`, that was read last.
  char open_line;
  Level levels[MOST];
} Scanner;

static Level *top(Scanner *scanner) { return &scanner->levels[scanner->depth - 1]; }

static bool ends_block(Scanner *scanner) { return scanner->depth > 1 && !top(scanner)->closer; }

static bool in_brackets(Scanner *scanner) {
  for (unsigned i = 0; i < scanner->depth; i++)
    if (scanner->levels[i].closer) return true;
  return false;
}

static char bracket(Scanner *scanner) {
  for (unsigned i = scanner->depth; i-- > 0;)
    if (scanner->levels[i].closer) return scanner->levels[i].closer;
  return 0;
}

static uint16_t block_column(Scanner *scanner) {
  for (unsigned i = scanner->depth; i-- > 0;)
    if (!scanner->levels[i].closer) return scanner->levels[i].column;
  return 0;
}

static bool push(Scanner *scanner, uint16_t column, char closer) {
  if (scanner->depth == MOST) return false;
  scanner->levels[scanner->depth++] = (Level){column, closer, 0};
  return true;
}

static void reset(Scanner *scanner) {
  scanner->depth = 1;
  scanner->open_line = 0;
  scanner->levels[0] = (Level){0, 0, 0};
}

void *tree_sitter_puredsl_external_scanner_create(void) {
  Scanner *scanner = ts_malloc(sizeof(Scanner));
  reset(scanner);
  return scanner;
}

void tree_sitter_puredsl_external_scanner_destroy(void *payload) { ts_free(payload); }

unsigned tree_sitter_puredsl_external_scanner_serialize(void *payload, char *buffer) {
  Scanner *scanner = payload;
  unsigned size = scanner->depth * sizeof(Level);
  buffer[0] = scanner->open_line;
  memcpy(buffer + 1, scanner->levels, size);
  return size + 1;
}

void tree_sitter_puredsl_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
  Scanner *scanner = payload;
  reset(scanner);
  if (length == 0) return;
  scanner->open_line = buffer[0];
  scanner->depth = (length - 1) / sizeof(Level);
  memcpy(scanner->levels, buffer + 1, length - 1);
}

static bool is_blank(int32_t sign) { return sign == ' ' || sign == '\t' || sign == '\f' || sign == '\r' || sign == 0xfeff; }

static bool is_word(int32_t sign) {
  return sign == '_' || (sign >= '0' && sign <= '9') || (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z') ||
         sign > 127;
}

static bool emit(TSLexer *lexer, enum Token token) {
  lexer->result_symbol = token;
  return true;
}

// Whether nothing but a comment stands in the rest of the line. What is looked at is not part of a token.
static bool line_ends(TSLexer *lexer) {
  while (is_blank(lexer->lookahead)) lexer->advance(lexer, false);
  return lexer->lookahead == '\n' || lexer->lookahead == '#';
}

static void read_word(TSLexer *lexer, char *word) {
  unsigned length = 0;
  while (is_word(lexer->lookahead)) {
    if (length < LONGEST - 1) word[length++] = lexer->lookahead > 127 ? '?' : (char)lexer->lookahead;
    lexer->advance(lexer, false);
  }
  word[length] = 0;
}

static bool among(const char *word, const char *const *words) {
  for (; *words; words++)
    if (strcmp(word, *words) == 0) return true;
  return false;
}

static const char *const CONTINUING[] = {"then", "else", "do", "for", "while", "and", "or", NULL};
static const char *const CONTINUING_DEEPER[] = {"where", "limit", NULL};
static const char *const STATEMENTS[] = {"let", "assert", NULL};

static bool is_closer(int32_t sign) { return sign == ')' || sign == ']' || sign == '}'; }

static bool end_block(Scanner *scanner, TSLexer *lexer) {
  scanner->depth--;
  return emit(lexer, DEDENT);
}

// What a line break means in front of a line that begins with a sign, or with a word. False if nothing.
static bool line_break(
    Scanner *scanner, TSLexer *lexer, const bool *valid, uint16_t column, int32_t sign, const char *word, bool arrow
) {
  bool at_end = sign == 0 && lexer->eof(lexer);
  char open_line = scanner->open_line;
  scanner->open_line = 0;
  if (open_line && !at_end && !(open_line == '[' && valid[INDENT] && among(word, STATEMENTS))) return emit(lexer, BREAK);
  if (valid[INDENT] && !valid[RECOVERING] && !at_end)
    return column > block_column(scanner) && push(scanner, column, 0) && emit(lexer, INDENT);
  if (column == 0 && (at_end || !is_closer(sign))) {
    // Nothing but a closing bracket begins a line here inside a declaration.
    while (top(scanner)->closer) scanner->depth--;
  }
  if (top(scanner)->closer) return false;
  if (column < top(scanner)->column && scanner->depth > 1) {
    if (!valid[DEDENT]) return false;
    return end_block(scanner, lexer);
  }
  uint16_t block = top(scanner)->column;
  if (column > 0 || scanner->depth > 1) {
    if (among(word, CONTINUING) || (column > block && among(word, CONTINUING_DEEPER))) return false;
    if (arrow || (sign > 0 && sign < 128 && strchr(".*/%@|^&<>=!,", sign))) return false;
  }
  if (column != block || !valid[NEWLINE]) return false;
  top(scanner)->state = 0;
  return emit(lexer, NEWLINE);
}

static bool scan_bracket(Scanner *scanner, TSLexer *lexer, const bool *valid) {
  static const char signs[] = "()[]{}";
  unsigned place = (unsigned)(strchr(signs, lexer->lookahead) - signs);
  enum Token token = LPAR + place;
  if (place % 2 == 1) {
    if (ends_block(scanner) && in_brackets(scanner) && valid[DEDENT]) return end_block(scanner, lexer);
    if (!valid[token]) return false;
    lexer->advance(lexer, false);
    lexer->mark_end(lexer);
    if (top(scanner)->closer == signs[place]) scanner->depth--;
    return emit(lexer, token);
  }
  if (!valid[token] || !push(scanner, 0, signs[place + 1])) return false;
  lexer->advance(lexer, false);
  lexer->mark_end(lexer);
  scanner->open_line = token == LSQB && line_ends(lexer) ? '[' : 0;
  return emit(lexer, token);
}

static bool scan_comma(Scanner *scanner, TSLexer *lexer, const bool *valid) {
  Level *level = top(scanner);
  if (!level->closer && in_brackets(scanner) && !(level->state & ASSERTS) && valid[DEDENT])
    return end_block(scanner, lexer);
  if (!valid[COMMA]) return false;
  level->state &= LOOPS;
  lexer->advance(lexer, false);
  lexer->mark_end(lexer);
  scanner->open_line = line_ends(lexer) ? ',' : 0;
  return emit(lexer, COMMA);
}

// The lexer stands behind the word.
static bool scan_word(Scanner *scanner, TSLexer *lexer, const bool *valid, const char *word) {
  Level *level = top(scanner);
  if (strcmp(word, "for") == 0) {
    if (bracket(scanner) == ']' && !level->closer && !(level->state & LOOPS) && valid[DEDENT])
      return end_block(scanner, lexer);
    if (!valid[FOR]) return false;
    if (level->state & LOOPS) level->state--;
    lexer->mark_end(lexer);
    return emit(lexer, FOR);
  }
  bool asserts = strcmp(word, "assert") == 0 && valid[ASSERT];
  bool folds = strcmp(word, "fold") == 0 && valid[FOLD], scans = strcmp(word, "scan") == 0 && valid[SCAN];
  if (!asserts && !folds && !scans) return false;
  if (asserts) level->state |= ASSERTS;
  else if ((level->state & LOOPS) < LOOPS) level->state++;
  lexer->mark_end(lexer);
  return emit(lexer, asserts ? ASSERT : folds ? FOLD : SCAN);
}

bool tree_sitter_puredsl_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
  Scanner *scanner = payload;
  bool broken = false, commented = false;
  uint16_t column = 0;
  lexer->mark_end(lexer);
  for (;;) {
    if (lexer->lookahead == '\n') {
      lexer->advance(lexer, !scanner->open_line);
      if (!commented && scanner->open_line) lexer->mark_end(lexer);
      broken = true;
      column = 0;
      continue;
    } else if (broken && lexer->lookahead == '#') {
      commented = true;
      while (lexer->lookahead != '\n' && !lexer->eof(lexer)) lexer->advance(lexer, true);
      continue;
    } else if (is_blank(lexer->lookahead)) {
      column += lexer->lookahead == '\t' ? 4 : 1;
    } else {
      break;
    }
    lexer->advance(lexer, true);
  }
  if (lexer->lookahead == '#') return false;
  bool at_end = lexer->eof(lexer);
  if (at_end) {
    broken = true;
    column = 0;
  }
  int32_t sign = lexer->lookahead;
  char word[LONGEST] = "";
  bool arrow = false;
  if (!broken) lexer->mark_end(lexer);
  if (is_word(sign) && !(sign >= '0' && sign <= '9')) read_word(lexer, word);
  if (broken) {
    if (sign == '-') {
      lexer->advance(lexer, false);
      arrow = lexer->lookahead == '>';
    }
    char open_line = commented ? scanner->open_line : 0;
    if (line_break(scanner, lexer, valid, column, at_end ? 0 : sign, word, arrow)) {
      if (lexer->result_symbol == BREAK) scanner->open_line = open_line;
      return true;
    }
    if (commented || at_end) return false;
  }
  if (word[0]) return scan_word(scanner, lexer, valid, word);
  if (sign == ',') return scan_comma(scanner, lexer, valid);
  if (sign > 0 && sign < 128 && strchr("()[]{}", sign)) return scan_bracket(scanner, lexer, valid);
  return false;
}
