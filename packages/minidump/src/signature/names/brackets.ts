// Finds the end of a bracketed part of a function name, in one pass at any nesting depth.

const CLOSES: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{', '>': '<', "'": '`' };
const OPENS = new Set(['(', '[', '{', '<', '`']);
/** `operator` and a symbol with angle brackets, which are not brackets here: `&Foo::operator->`. */
const ANGLE_OPERATOR = /operator(?:<=>|<<=|>>=|->\*?|<<|>>|<=|>=|<|>)/y;

/**
 * Returns the index after the bracket that closes the one at `start`, or the length of the text if nothing closes it.
 *
 * Names are not always balanced:
 * - A closing bracket without an opening one is ignored.
 * - A `>` directly inside another kind of bracket is a comparison: the first one in `Foo<(a>b)>`.
 * - Any other bracket that closes an outer group also closes the groups inside it: in `Foo<(a<b)>` the `)` ends the `<`.
 * - The `>` of `->` is never a bracket.
 */
export function groupEnd(text: string, start: number): number {
  const open: string[] = [];
  const count: Record<string, number> = { '(': 0, '[': 0, '{': 0, '<': 0, '`': 0 };
  for (let at = start; at < text.length; at++) {
    const char = text[at] as string;
    if (char === 'o' && isOperatorAt(text, at)) {
      at = ANGLE_OPERATOR.lastIndex - 1;
    } else if (OPENS.has(char) || opensQuote(text, at, open.at(-1))) {
      const kind = char === "'" ? '`' : char;
      open.push(kind);
      count[kind] = (count[kind] ?? 0) + 1;
    } else if (char in CLOSES && !isComparison(text, at, open.at(-1))) {
      closeGroup(open, count, CLOSES[char] as string);
      if (open.length === 0) return at + 1;
    }
  }
  return text.length;
}

function closeGroup(open: string[], count: Record<string, number>, kind: string): void {
  if (!count[kind]) return;
  let closed: string | undefined;
  do {
    closed = open.pop() as string;
    count[closed] = (count[closed] ?? 0) - 1;
  } while (closed !== kind);
}

function isComparison(text: string, at: number, innermost: string | undefined): boolean {
  return text[at] === '>' && (innermost !== '<' || text[at - 1] === '-');
}

/** MSVC puts single quotes around a name inside a quoted phrase: `` `dynamic initializer for 'gWorld'' ``. */
function opensQuote(text: string, at: number, innermost: string | undefined): boolean {
  return innermost === '`' && text[at] === "'" && text[at - 1] === ' ';
}

function isOperatorAt(text: string, at: number): boolean {
  ANGLE_OPERATOR.lastIndex = at;
  return ANGLE_OPERATOR.test(text) && !/\w/.test(text[at - 1] ?? ' ');
}

/** Replaces each outermost group of the given kinds. `replace` gets the text between the brackets. */
export function replaceGroups(text: string, kinds: string, replace: (inside: string) => string): string {
  let out = '';
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    if (!kinds.includes(text[at] as string)) continue;
    out += text.slice(copied, at);
    const end = groupEnd(text, at);
    out += replace(insideOf(text, at, end));
    copied = end;
    at = end - 1;
  }
  return out + text.slice(copied);
}

/** Returns the text between the brackets of the group from `start` to `end`, or up to `end` if the group is never closed. */
export function insideOf(text: string, start: number, end: number): string {
  const last = text[end - 1] as string;
  return text.slice(start + 1, end - 1 > start && CLOSES[last] === text[start] ? end - 1 : end);
}
