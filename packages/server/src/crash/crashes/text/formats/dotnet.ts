// Exceptions of C#: .NET, Mono, Unity and Godot, with inner exceptions, in the languages that .NET writes them in.
import { closingOf, locationOf, splitLast } from '../line-parsers.ts';
import { shownFile } from '../source-names.ts';
import {
  frame,
  headerOf,
  type RelatedException,
  readHeader,
  type TextFormat,
  type TraceException,
  type TraceFrame,
  type TraceReading,
} from '../trace.ts';

/** Namespaces of .NET, engines and widely used libraries. */
const RUNTIME =
  /^(?:System|Microsoft|Mono|Windows|Internal|Interop|Newtonsoft|UnityEngine|UnityEditor|UnityEngineInternal|Unity|TMPro|Cysharp|DG\.Tweening|Cinemachine|Godot|GodotPlugins|Steamworks|MonoMod|HarmonyLib|BepInEx|FMOD|FMODUnity|Mirror|Photon|Rewired|Zenject|Sirenix|Spine|UniRx|MonoGame|SharpDX|SDL[23])\.|^(?:Interop|ThrowHelper|SR)\./;
/** `at` in the languages of .NET. */
const AT = /^\s*(?:at|bei|à|en|in|em|в|w|v|在|於|場所|위치:|в методе|konum:|vid|ved|kohteessa) (?=\S)/u;
/** `:line 12` in the same languages: the last word before the number differs. */
const LINE = /:(?:[\p{L}.]{1,20}\s?)(\d{1,7})\.?$/u;
/** What is between the method and its file. */
const IN = /^ (?:in|na|dans|en|в|w|位置|場所|파일|v|konum|i) /u;

export const dotnet: TextFormat = {
  name: '.NET',
  read(lines, at) {
    const ended = readEnd(lines, at);
    if (ended !== null) return ended;
    const header = readTop(lines, at);
    return header === null ? null : readChain(lines, header.framesAt, header.exceptions);
  },
};

/**
 * `Stack overflow.`, `Process terminated. Assertion failed.` and `Fatal error. 0xC0000005`, which are not exceptions.
 */
const END = /^(Stack overflow|Process terminated|Fatal error)\.(?: (.{1,300}))?$/;
/** Lines between that and the first frame. */
const MAX_BETWEEN = 6;

function readEnd(lines: readonly string[], at: number): TraceReading | null {
  const [, kind, what = ''] = END.exec(lines[at]!.trim()) ?? [];
  if (kind === undefined || headerOf(what) !== null) return null;
  let end = at + 1;
  while (end < lines.length && end < at + MAX_BETWEEN && frameOf(lines[end]!) === null) end += 1;
  const frames: TraceFrame[] = [];
  for (; end < lines.length; end++) {
    const parsed = frameOf(lines[end]!);
    if (parsed !== null) frames.push(parsed);
    // Around the frames of a recursion.
    else if (!/^(?:-{10,100}|Repeat \d{1,9} times:)$/.test(lines[end]!.trim())) break;
  }
  if (frames.length === 0) return null;
  const main = /^0x/.test(what) ? { type: what, message: '', frames } : { type: kind, message: what, frames };
  return { isNative: false, isFatal: true, main, end };
}

type Named = Pick<TraceException, 'type' | 'message'>;

/** The exception and its inner ones, which are on the same line or on their own lines before the first frame. */
function readTop(lines: readonly string[], at: number): { framesAt: number; exceptions: Named[] } | null {
  // A frame without a place looks like any call, so it counts after an exception only.
  const frameAt = (line: string, index: number) =>
    frameOf(line) ?? (index === at + 1 && headerOf(lines[at]!) !== null ? callOf(line) : null);
  let header = readHeader(lines, at, frameAt);
  if (header === null) {
    const plain = headerOf(lines[at]!);
    if (plain === null || !(lines[at + 1] ?? '').trimStart().startsWith('---> ')) return null;
    header = { ...plain, framesAt: at + 1 };
  }
  const text = [lines[at]!, ...lines.slice(at + 1, header.framesAt)].join('\n');
  const exceptions = innerOf(text, header);
  let framesAt = header.framesAt;
  for (; framesAt < lines.length && exceptions.length < 16; framesAt++) {
    const inner = /^ {0,8}---> (.{1,1000})$/.exec(lines[framesAt]!)?.[1];
    if (inner === undefined) break;
    for (const part of inner.split(' ---> ')) exceptions.push(headerOf(part) ?? { type: part, message: '' });
  }
  return { framesAt, exceptions };
}

/** `Outer: text ---> Inner: text`, innermost last. */
function innerOf(text: string, header: Named): Named[] {
  const parts = text.split('---> ').slice(0, 16);
  if (parts.length === 1) return [{ type: header.type, message: header.message }];
  return parts.map((part, index) => {
    const named = headerOf(part.split('\n', 1)[0]!) ?? { type: '', message: part.trim() };
    return index === 0 ? { type: header.type, message: (named.message || header.message).trim() } : named;
  });
}

function readChain(lines: readonly string[], framesAt: number, named: readonly Named[]): TraceReading {
  const exceptions = named.map((each) => ({ ...each, frames: [] as TraceFrame[] }));
  const siblings: RelatedException[] = [];
  let rethrown: (Named & { frames: TraceFrame[] }) | null = null;
  const consequences: RelatedException[] = [];
  /** The frames of the innermost exception come first. */
  let depth = exceptions.length - 1;
  let at = framesAt;
  for (; at < lines.length; at++) {
    const line = lines[at]!;
    const parsed = frameOf(line) ?? (at === framesAt || lastWasCall(lines, at, framesAt) ? callOf(line) : null);
    if (parsed !== null) {
      (rethrown ?? exceptions[depth]!).frames.push(parsed);
      continue;
    }
    const text = line.trim();
    const again = /^Rethrow as (.{1,1000})$/.exec(text)?.[1];
    if (again !== undefined) {
      if (rethrown !== null) consequences.push({ ...rethrown, relation: 'consequence' });
      rethrown = { ...(headerOf(again) ?? { type: again, message: '' }), frames: [] };
      continue;
    }
    if (text.startsWith('---') && text.endsWith('---')) {
      // Such a line ends an inner exception, or the frames before an `await`.
      if (isInnerEnd(text)) depth = Math.max(0, depth - 1);
      continue;
    }
    const sibling = /^---> \(.{1,40} #\d{1,4}\) (.{1,1000})$/.exec(text)?.[1];
    if (sibling === undefined || siblings.length > 16) break;
    siblings.push({ ...(headerOf(sibling) ?? { type: sibling, message: '' }), frames: [], relation: 'sibling' });
    while (at + 1 < lines.length && (frameOf(lines[at + 1]!) !== null || lines[at + 1]!.trim() === '<---')) at += 1;
  }
  if (rethrown !== null) consequences.push({ ...rethrown, relation: 'consequence' });
  const outer = exceptions.slice(0, -1).map((each): RelatedException => ({ ...each, relation: 'consequence' }));
  const related = [...consequences, ...outer.reverse(), ...siblings];
  return { isNative: false, isFatal: false, main: exceptions.at(-1)!, related, end: at };
}

/** `--- End of inner exception stack trace ---`; that of `await` names a previous location. */
function isInnerEnd(text: string): boolean {
  return /inner|innere|interne|interna|внутренн|wewnętrz|内部|內部|내부|iç özel|inre|indre|sisemmän|vnitřn/iu.test(
    text,
  );
}

function lastWasCall(lines: readonly string[], at: number, framesAt: number): boolean {
  return at > framesAt && (frameOf(lines[at - 1]!) !== null || callOf(lines[at - 1]!) !== null);
}

/**
 * `at Game.Player.Update(Int32 x) in C:\game\Player.cs:line 12`, `at Player.Update () [0x00012] in <3f2a>:0`, and
 * Unity's `Player.Update () (at Assets/Player.cs:12)`.
 */
function frameOf(line: string): TraceFrame | null {
  const at = AT.exec(line);
  if (at !== null) return dotnetMethodOf(line.slice(at[0].length), true);
  const [call, place] = splitLast(line, ' (at ') ?? ['', ''];
  if (!place.endsWith(')')) return null;
  const parsed = dotnetMethodOf(call.trim(), false);
  return parsed === null ? null : { ...parsed, ...placeOf(place.slice(0, -1)) };
}

/** Unity's `Player:Update()` and `Player.Update ()`, of a build without places. */
function callOf(line: string): TraceFrame | null {
  const text = line.trim();
  return text.endsWith(')') && /^[\w.+<>`$/|:[\]]{1,300}[.:][\w<>$|]{1,200} ?\(/.test(text)
    ? dotnetMethodOf(text, false)
    : null;
}

/** `Game.Player:Update (single)`, and with `mayHavePlace` a file after it. */
export function dotnetMethodOf(text: string, mayHavePlace: boolean): TraceFrame | null {
  const bare = text.replace(/^\(wrapper [\w-]{1,60}\) /, '').replace(/^(?:async |void |bool |int |float )/, '');
  const open = bare.indexOf('(');
  if (open <= 0) return null;
  const name = bare.slice(0, open).trimEnd();
  const close = closingOf(bare, open);
  if (close < 0 || !isMethod(name)) return null;
  const rest = bare.slice(close + 1);
  if (!mayHavePlace && rest.trim() !== '') return null;
  const place = placeAfter(rest);
  if (place === null) return null;
  const method = stableName(name);
  return frame({ function: method, own: !RUNTIME.test(method), ...place });
}

/** Two names at least: the class and the method. */
function isMethod(name: string): boolean {
  return name.length <= 500 && /[.:/]/.test(name) && /^[\p{L}_<(][^\s"']*$/u.test(name) && !name.includes('//');
}

function placeAfter(rest: string): Partial<TraceFrame> | null {
  const text = rest
    .replace(/^ \[0x[0-9a-f]{1,8}\]/, '')
    .replace(/^ <0x[0-9a-f]{1,16} \+ 0x[0-9a-f]{1,8}>/, '')
    .trimEnd();
  if (text === '') return {};
  const inside = IN.exec(text);
  if (inside === null) return /^ ?\[0x|^ ?\(|^:/.test(text) || text === ' in' ? {} : null;
  return placeOf(text.slice(inside[0].length));
}

/** A file and its line; `<hash>:0` of an assembly without symbols is neither. */
function placeOf(text: string): Partial<TraceFrame> {
  if (text.startsWith('<') || text.startsWith('(')) return {};
  const localized = LINE.exec(text);
  if (localized !== null) return { file: shownFile(text.slice(0, localized.index)), line: Number(localized[1]) };
  const { file, line } = locationOf(text);
  return { file: shownFile(file), line: line === 0 ? null : line };
}

/**
 * The method as it is in the source: without arguments, arities, and the classes that the compiler makes for `async`,
 * iterators and lambdas. `Game.Player+<Run>d__3.MoveNext` is `Game.Player.Run`.
 */
function stableName(name: string): string {
  const parts = name
    .replace(/\[[^\]]{0,300}\]{1,9}/g, '')
    .replace(/`\d{1,3}/g, '')
    .replaceAll('::', '.')
    .split(/[.+/:]/);
  const kept: string[] = [];
  for (const [index, part] of parts.entries()) {
    if (/^<>c(?:__DisplayClass[\d_]{1,20})?$/.test(part)) continue;
    const [, method, kind, local] =
      /^<(?:<([^>]{1,100})>[^>]{0,40}|[^>]{0,100})>([a-z])__?([^|]{0,100})/.exec(part) ?? [];
    if (kind === undefined) {
      if (part !== 'MoveNext' || !/^<.{1,200}>d/.test(parts[index - 1] ?? '')) kept.push(part);
      continue;
    }
    const of = method ?? part.slice(part.lastIndexOf('<', part.indexOf('>')) + 1, part.indexOf('>'));
    if (kept.at(-1) !== of) kept.push(of);
    if (kind === 'g' && local !== undefined && local !== '') kept.push(local);
    if (kind === 'b') kept.push('lambda');
  }
  // The constructor is a name that begins with a dot.
  return kept.join('.');
}
