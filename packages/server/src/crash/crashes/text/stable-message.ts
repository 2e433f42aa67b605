// Decides what of an exception's message is part of its signature: what is the same on every device, and says which of
// several causes in one function it was. The rest, such as numbers, paths and quoted data, is masked.
import { baseName } from '@chauffeur/minidump/base-name';
import { maskText, toPrintable } from '@chauffeur/minidump/signature/printable';
import type { TraceException } from './trace.ts';

/** Returned for an endless recursion, which every runtime words differently. */
export const STACK_OVERFLOW = 'stack overflow';

/**
 * Types that say everything. Their message is the runtime's own: in the language of the player's system, with values of
 * the moment, and different in each version. With a frame in the game's code, the message is left out.
 */
const SELF_EXPLANATORY =
  /^(?:NullReferenceException|NullPointerException|IndexOutOfRangeException|ArrayIndexOutOfBoundsException|IndexOutOfBoundsException|StringIndexOutOfBoundsException|ArgumentOutOfRangeException|ArgumentNullException|InvalidCastException|ClassCastException|DivideByZeroException|OverflowException|FormatException|NumberFormatException|OutOfMemoryException|OutOfMemoryError|KeyNotFoundException|ObjectDisposedException|AccessViolationException|ArrayTypeMismatchException|RankException|NotImplementedException|NotSupportedException|UnsupportedOperationException|NegativeArraySizeException|ConcurrentModificationException|IOException|FileNotFoundException|DirectoryNotFoundException|PathTooLongException|DriveNotFoundException|UnauthorizedAccessException|EndOfStreamException|EOFException|SocketException|WebException|HttpRequestException|TimeoutException|TaskCanceledException|OperationCanceledException|InterruptedException|UnknownHostException|ConnectException|SocketTimeoutException|JsonException|JsonReaderException|JSONDecodeError|UnicodeDecodeError|UnicodeEncodeError|TypeInitializationException|AggregateException|TargetInvocationException|InvocationTargetException|MissingReferenceException|UnassignedReferenceException|SEHException|DllNotFoundException|EntryPointNotFoundException|TypeLoadException|BadImageFormatException|MissingMethodException|MissingFieldException|DirectoryNotEmptyException|NoSuchFileException|AccessDeniedException|StackOverflowException|StackOverflowError|RecursionError|SystemStackError|FileNotFoundError|PermissionError|ConnectionError|ConnectionResetError|ConnectionRefusedError|TimeoutError|OSError|MemoryError|ZeroDivisionError|IndexError|OverflowError|RangeError)$/;

/** `NullReferenceException` for `System.NullReferenceException`; names of C++ and Ruby stay whole. */
export function shortType(type: string): string {
  return /^[\w$.+`]{1,300}$/.test(type) ? type.slice(type.lastIndexOf('.') + 1) : type;
}

/** The part of the message that is in the signature; empty if there is none. */
export function sameMessage(
  { type, message }: Pick<TraceException, 'type' | 'message'>,
  { isNative, hasOwn }: { isNative: boolean; hasOwn: boolean },
): string {
  const short = shortType(type);
  if (isOverflow(short, message)) return STACK_OVERFLOW;
  if (isNative || !hasOwn) return maskMessage(message);
  if (short === 'OSError' && !/^\[(?:Errno|WinError)/.test(message)) return maskMessage(message);
  if (SELF_EXPLANATORY.test(short)) return '';
  return maskMessage(canonical(message));
}

function isOverflow(type: string, message: string): boolean {
  return (
    /^(?:StackOverflow(?:Error|Exception)|RecursionError|SystemStackError)$/.test(type) ||
    /^(?:Maximum call stack size exceeded|too much recursion|stack overflow\b|stack level too deep)/i.test(message)
  );
}

/**
 * JavaScript engines word the same error differently. The name of the property, function or variable is what they have
 * in common.
 */
function canonical(message: string): string {
  const text = message.slice(0, 1000);
  for (const { match, text: format } of WORDINGS) {
    const found = match.exec(text);
    if (found !== null) return format.replace('*', lastName(found[1] ?? ''));
  }
  return message;
}

const WORDINGS: readonly { readonly match: RegExp; readonly text: string; readonly type: string }[] = [
  // V8, and before 2021; `setting` instead of `reading` for an assignment.
  {
    match: /^Cannot (?:read|set) propert(?:y|ies) of (?:undefined|null) \((?:reading|setting) '([^']{1,200})'\)/,
    text: "no object for '*'",
    type: 'TypeError',
  },
  {
    match: /^Cannot (?:read|set) property '([^']{1,200})' of (?:undefined|null)/,
    text: "no object for '*'",
    type: 'TypeError',
  },
  // JavaScriptCore; the expression may have brackets and calls.
  {
    match: /^(?:undefined|null) is not an object \(evaluating '([^']{1,300})'\)/,
    text: "no object for '*'",
    type: 'TypeError',
  },
  // SpiderMonkey.
  { match: /^can't access property "([^"]{1,200})"/, text: "no object for '*'", type: 'TypeError' },
  { match: /^([^\s(]{1,300}(?:\(\.\.\.\))?) is not a function/, text: "no function '*'", type: 'TypeError' },
  { match: /^([^\s]{1,200}) is not a constructor/, text: "no constructor '*'", type: 'TypeError' },
  { match: /^Can't find variable: (\S{1,200})/, text: "no variable '*'", type: 'ReferenceError' },
  { match: /^(\S{1,200}) is not defined$/, text: "no variable '*'", type: 'ReferenceError' },
  {
    match: /^can't access lexical declaration ['"]([^'"]{1,200})['"] before initialization/,
    text: "early access to '*'",
    type: 'ReferenceError',
  },
  {
    match: /^Cannot access (?:uninitialized variable|'([^']{1,200})' before initialization)/,
    text: "early access to '*'",
    type: 'ReferenceError',
  },
];

/** The type of an error of JavaScript that was sent without it; empty if its message doesn't say. */
export function typeOfMessage(message: string): string {
  return WORDINGS.find(({ match }) => match.test(message.slice(0, 1000)))?.type ?? '';
}

/** `items` for `this.player.items = [1]`, `hp` for `a.b['hp']`. */
function lastName(expression: string): string {
  const target = expression.split(/ ?[=+*/-]?= /, 1)[0]!.replace(/\(.{0,300}$/, '');
  const names = target.match(/[\p{L}_$#][\p{L}\p{N}_$]*/gu);
  return names?.at(-1) ?? target;
}

const MAX_MESSAGE = 500;
/** Longer quoted texts are data. */
const MAX_QUOTED = 60;
const QUOTES: Readonly<Record<string, string>> = {
  "'": "'",
  '"': '"',
  '`': '`',
  '“': '”',
  '‘': '’',
  '«': '»',
  '„': '“',
};
/** GNU and old JavaScript engines open with a backtick and close with an apostrophe: `foo'. */
const APOSTROPHE = "'";

/**
 * The first line without numbers, addresses, ids, times, URLs, folders and user data. Quoted text stays if it can be
 * the name of a variable, a key, a node or a file, as two keys that are missing are two causes; its digits do not.
 * Other quoted text is data.
 */
export function maskMessage(message: string): string {
  const line = toPrintable(message.slice(0, 4 * MAX_MESSAGE).split(/[\r\n]/, 1)[0]!).slice(0, MAX_MESSAGE);
  return maskText(maskWords(maskQuoted(maskDrives(line)))).trim();
}

function maskQuoted(text: string): string {
  let out = '';
  let from = 0;
  /** Closing quotes that do not follow: each is searched once, which keeps the time linear. */
  const missing = new Set<string>();
  for (let at = 0; at < text.length; at++) {
    const open = text[at]!;
    const close = QUOTES[open];
    // The one in `can't` is an apostrophe.
    if (close === undefined || (open === APOSTROPHE && /[\p{L}\p{N}]/u.test(text[at - 1] ?? ' '))) continue;
    const end = endOfQuote(text, at + 1, open === '`' ? ['`', APOSTROPHE] : [close], missing);
    if (end < 0) continue;
    out += text.slice(from, at + 1) + maskValue(text.slice(at + 1, end));
    from = end;
    at = end;
  }
  return out + text.slice(from);
}

function endOfQuote(text: string, from: number, closes: readonly string[], missing: Set<string>): number {
  for (const close of closes) {
    if (missing.has(close)) continue;
    const end = text.indexOf(close, from);
    if (end >= 0) return end;
    missing.add(close);
  }
  return -1;
}

/** A name, with dots, arguments or an index: `player.hp`, `take_damage()`, `items[]`, `%Sprite2D`, `World/Player`. */
const NAME = /^[@%$#&.]?[\p{L}_][\p{L}\p{N}_$.:()[\]<>%@#?!*&/-]*$/u;

function maskValue(value: string): string {
  if (value === '') return value;
  const isPath = /[\\/]/.test(value);
  const name = isPath ? baseName(value) : value;
  if (value.length > MAX_QUOTED && !isPath) return '<text>';
  if (/^https?:/i.test(value)) return '<url>';
  if (/^[^@\s]{1,64}@[^@\s]{1,100}\.\w{2,}$/.test(value)) return '<email>';
  if (isCode(value)) return value.replace(/\d+/g, '<n>');
  if (!NAME.test(name) || name.length > MAX_QUOTED) return /^-?[\d.,]+$/.test(value) ? '<n>' : '<text>';
  return isId(name) ? '<id>' : name.replace(/\d+/g, '<n>');
}

/** A condition that failed, as engines quote it: `!is_inside_tree()`, `p_index < 0`. */
function isCode(value: string): boolean {
  return /(?:[!=<>]=|&&|\|\||->|::|\(\)| [<>] |^!)/.test(value) && !/[{};"]/.test(value);
}

/** Six or more hexadecimal digits, with digits and letters: `a3f9c2d1`. */
function isId(word: string): boolean {
  return /^[0-9a-f]{6,}$/i.test(word) && /\d/.test(word) && /[a-f]/i.test(word);
}

/** Text that ends a path with spaces: nothing of this is in the name of a file. */
const PATH_END = /["'<>|*?\n,;()]/g;

/** Removes the folders of Windows paths, whose names may have spaces: `D:\My Games\Owls\save.dat` → `save.dat`. */
function maskDrives(text: string): string {
  let out = '';
  let from = 0;
  const drive = /(?<![\p{L}\p{N}])[A-Za-z]:[\\/]/gu;
  for (let match = drive.exec(text); match !== null; match = drive.exec(text)) {
    if (match.index < from) continue;
    PATH_END.lastIndex = match.index + match[0].length;
    const end = PATH_END.exec(text)?.index ?? text.length;
    const path = text.slice(match.index, end);
    const last = Math.max(path.lastIndexOf('\\'), path.indexOf('\\') < 0 ? path.lastIndexOf('/') : -1);
    out += text.slice(from, match.index);
    from = match.index + last + 1;
  }
  return out + text.slice(from);
}

/** URLs, email addresses, ids, and numbers that are a part of a word: `player_4711`, `#28991030612`. */
function maskWords(text: string): string {
  return text
    .split(' ')
    .map((word) => {
      if (/^[([<"']?(?:https?|wss?|ftp|blob):\/\//i.test(word) || /^[([<"']?blob:/i.test(word)) return '<url>';
      if (/^[^@\s]{1,64}@[^@\s]{1,100}\.\w{2,}$/.test(word)) return '<email>';
      const bare = word.replace(/^[^\p{L}\p{N}]{1,3}/u, '').replace(/[^\p{L}\p{N}]{1,3}$/u, '');
      if (isId(bare)) return word.replace(bare, '<id>');
      // An address or a hash is left to `maskText`, which recognizes it as a whole.
      return /^[^\p{L}\p{N}]*(?:0x)?[0-9a-f-]+[^\p{L}\p{N}]*$/iu.test(word)
        ? word
        : word.replace(/(?<=_)\d+|(?<=\p{L})\d{3,}/gu, '<n>');
    })
    .join(' ');
}
