// Decides what of an exception's message is part of its signature: what is the same on every device, and says which of
// several causes in one function it was.
import { maskMessage } from './mask-message.ts';
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
 * JavaScript engines word the same error differently. The name of the property, function or variable is what they have in
 * common.
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
