// Small parsers for one line of a report. Each takes time linear in the length of the line.
/** The text after `prefix`; null if the text does not start with it. */
export function after(text: string, prefix: string): string | null {
  return text.startsWith(prefix) ? text.slice(prefix.length) : null;
}

/** The texts before and after the first `separator`; null without one. */
export function splitFirst(text: string, separator: string): readonly [string, string] | null {
  const at = text.indexOf(separator);
  return at < 0 ? null : [text.slice(0, at), text.slice(at + separator.length)];
}

/** The texts before and after the last `separator`; null without one. */
export function splitLast(text: string, separator: string): readonly [string, string] | null {
  const at = text.lastIndexOf(separator);
  return at < 0 ? null : [text.slice(0, at), text.slice(at + separator.length)];
}

/** The text between the first `open` and the next `close`; null without them. */
export function between(text: string, open: string, close: string): string | null {
  const rest = splitFirst(text, open)?.[1];
  return rest === undefined ? null : (splitFirst(rest, close)?.[0] ?? null);
}

export function isDigits(text: string): boolean {
  return /^\d{1,9}$/.test(text);
}

/** The number at the start of the text; null without one, or if it is negative, and so not a line of a file. */
export function leadingNumber(text: string): number | null {
  const digits = /^-?\d{1,9}/.exec(text)?.[0];
  return digits === undefined || Number(digits) < 0 ? null : Number(digits);
}

export type Location = { readonly file: string; readonly line: number | null; readonly column: number | null };

/** `src/main.rs:12:5` and `main.lua:12`. The file may contain colons: `C:\game\main.py:3`. */
export function locationOf(text: string): Location {
  const last = splitLast(text, ':');
  if (last === null || !isDigits(last[1])) return { file: text, line: null, column: null };
  const previous = splitLast(last[0], ':');
  // `C:12` is a file of one letter and its line.
  if (previous === null || !isDigits(previous[1]) || previous[0] === '')
    return { file: last[0], line: Number(last[1]), column: null };
  return { file: previous[0], line: Number(previous[1]), column: Number(last[1]) };
}

export function isBlank(line: string): boolean {
  return line.trim() === '';
}

export function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** The end of the arguments that begin at the `(` at `start`: the index of the `)` that closes it, or -1. */
export function closingOf(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

export type TypedMessage = { readonly type: string; readonly message: string };

/** The name of a type, with namespaces: `System.IO.IOException`, `Errno::ENOENT`, `java.lang.Error`, `Foo$Bar`. */
const TYPE = /^[\p{L}_][\p{L}\p{N}_$]*(?:(?:\.|::|\+|`)[\p{L}\p{N}_$]+)*$/u;
const MAX_TYPE = 200;

export function isTypeName(text: string): boolean {
  return text.length <= MAX_TYPE && TYPE.test(text);
}

/** `java.lang.Error: text` and `KeyError`; null if the line does not begin with the name of a type. */
export function typedMessage(line: string): TypedMessage | null {
  const text = line.trim();
  const [type, message] = splitFirst(text, ': ') ?? [text.endsWith(':') ? text.slice(0, -1) : text, ''];
  return isTypeName(type) ? { type, message: message.trim() } : null;
}
