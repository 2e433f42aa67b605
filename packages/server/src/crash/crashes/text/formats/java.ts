// Java and Kotlin: stack traces with their causes, such as `at com.example.Game.update(Game.java:12)`, and crashes of
// the virtual machine.
import { indentOf, isDigits, splitFirst } from '../line-parsers.ts';
import { nativeFrame } from '../native-frames.ts';
import {
  frame,
  headerOf,
  type RelatedException,
  readFrames,
  readHeader,
  type TextFormat,
  type Trace,
  type TraceException,
  type TraceFrame,
  type TraceReading,
} from '../trace.ts';

/** Packages of Java, Android, Kotlin, engines and widely used libraries. */
const RUNTIME =
  /^(?:java|javax|jdk|sun|com\.sun|kotlin|kotlinx|scala|groovy|clojure|android|androidx|dalvik|libcore|com\.android|com\.google|org\.lwjgl|com\.badlogic|org\.apache|org\.slf4j|org\.json|org\.objectweb|io\.netty|okhttp3|okio|retrofit2|com\.unity3d|bitter\.jnibridge|org\.godotengine|com\.epicgames|org\.libsdl|org\.cocos2dx|org\.haxe|org\.love2d|com\.ansca|com\.yoyogames|cpw\.mods|net\.minecraftforge|net\.fabricmc|org\.spongepowered|com\.jme3|processing|javafx|com\.jogamp)\./;
/** What is in the parentheses of a frame. */
const PLACE =
  /^(?:[\w$-]{1,100}\.(?:java|kt|kts|scala|groovy|clj)(?::\d{1,7})?|Native Method|Unknown Source(?::\d{1,7})?|SourceFile(?::\d{1,7})?|<generated>|Dynamic|PG:\d{1,7}|r8-map-id-\w{1,100}:\d{1,7}|:\d{1,7}|:com\.\S{1,100})$/;

export const java: TextFormat = {
  name: 'Java',
  read(lines, at) {
    const header = readHeader(lines, at, javaFrameOf);
    return header === null ? null : readChain(lines, header.framesAt, header);
  },
};

/** What a frame says, with the names as they are in the text. */
type RawFrame = { readonly method: string; readonly file: string; readonly line: number | null };

/** `at java.base/java.util.ArrayList.get(ArrayList.java:427) ~[?:?]`. */
export function rawFrameOf(line: string): RawFrame | null {
  const text = line.trimStart();
  if (!text.startsWith('at ')) return null;
  const [name, rest] = splitFirst(text.slice(3), '(') ?? ['', ''];
  const place = splitFirst(rest, ')')?.[0];
  if (place === undefined || name === '' || /\s/.test(name) || !PLACE.test(place)) return null;
  const [file, lineNumber] = splitFirst(place, ':') ?? [place, ''];
  return {
    method: name.slice(name.lastIndexOf('/') + 1),
    file,
    line: isDigits(lineNumber) ? Number(lineNumber) : null,
  };
}

function javaFrameOf(line: string): TraceFrame | null {
  const raw = rawFrameOf(line);
  return raw && javaFrame(raw.method, { file: /\.\w/.test(raw.file) ? raw.file : null, line: raw.line });
}

/** A frame of a method with its class, such as `owls.Nest.land`. Names that were obfuscated differ between builds. */
export function javaFrame(method: string, place: Partial<Pick<TraceFrame, 'file' | 'line'>> = {}): TraceFrame {
  const own = !RUNTIME.test(method) && !/^[\w$]{1,2}(?:\.[\w$]{1,2})*$/.test(method);
  return frame({ function: stableName(method), ...place, own });
}

/** Compilers number lambdas and anonymous classes: `Game$1.lambda$run$0` is `Game$.lambda$run`. */
function stableName(name: string): string {
  return name
    .replace(/<(init|clinit)>/g, '$1')
    .replace(/\$\$ExternalSyntheticLambda\d{1,6}/g, '$$$$Lambda')
    .replace(/\$\$Lambda(?:[$/][\w/]{1,40})?(?=\.|$)/g, '$$$$Lambda')
    .replace(/(lambda\$\w{1,100})\$\d{1,6}/g, '$1')
    .replace(/\$\d{1,6}/g, '$');
}

type Open = { exception: TraceException & { frames: TraceFrame[] }; indent: number; relation: 'cause' | 'suppressed' };

function readChain(
  lines: readonly string[],
  framesAt: number,
  { type, message }: Pick<TraceException, 'type' | 'message'>,
): TraceReading {
  const chain: Open[] = [{ exception: { type, message, frames: [] }, indent: -1, relation: 'cause' }];
  let at = framesAt;
  for (; at < lines.length; at++) {
    const line = lines[at]!;
    const current = chain.at(-1)!;
    const parsed = javaFrameOf(line);
    if (parsed !== null) {
      current.exception.frames.push(parsed);
      continue;
    }
    const more = moreOf(line);
    if (more !== null) {
      if (current.exception.frames.length < MAX_FRAMES)
        current.exception.frames.push(...enclosing(chain).frames.slice(-more));
      continue;
    }
    const next = openCause(line);
    if (next === null || chain.length > 16) break;
    chain.push(next);
    // The rest of the message.
    while (
      at + 1 < lines.length &&
      at - framesAt < 4000 &&
      javaFrameOf(lines[at + 1]!) === null &&
      isText(lines[at + 1]!)
    )
      at += 1;
  }
  return { isNative: false, isFatal: false, ...relate(chain), end: at };
}

/** Frames of one stack: with `... n more`, a forged text could repeat those of another without end. */
export const MAX_FRAMES = 4000;

/** `... 3 more`: how many of the outermost frames are those of the exception that this one caused. */
export function moreOf(line: string): number | null {
  const [, count] = /^\.\.\. (\d{1,4}) (?:more|common frames omitted)$/.exec(line.trim()) ?? [];
  return count === undefined ? null : Number(count);
}

/** The exception that the last one caused: its outermost frames are the same, and are left out of the text. */
function enclosing(chain: readonly Open[]): TraceException {
  return (chain.at(-2) ?? chain[0]!).exception;
}

export const CAUSE = /^(Caused by|Suppressed|Wrapped by): (.{1,1000})$/;

function openCause(line: string): Open | null {
  const text = line.trim();
  const [, word, rest] = CAUSE.exec(text) ?? [];
  if (rest === undefined) return null;
  const [type, message] = splitFirst(rest, ': ') ?? [rest, ''];
  const exception = { ...(headerOf(rest) ?? { type, message }), frames: [] };
  return { exception, indent: indentOf(line), relation: word === 'Suppressed' ? 'suppressed' : 'cause' };
}

function isText(line: string): boolean {
  return line.trim() !== '' && openCause(line) === null && !line.trim().startsWith('... ');
}

/** The last cause is the main exception. */
function relate(chain: readonly Open[]): Pick<Trace, 'main' | 'related'> {
  const suppressedFrom = chain.find(({ relation }) => relation === 'suppressed')?.indent ?? Number.POSITIVE_INFINITY;
  let isSuppressed = false;
  const causes: TraceException[] = [];
  const related: RelatedException[] = [];
  for (const { exception, indent, relation } of chain) {
    // A cause that is indented belongs to a suppressed exception.
    isSuppressed = relation === 'suppressed' || (isSuppressed && indent >= suppressedFrom);
    if (isSuppressed) related.push({ ...exception, relation: 'suppressed' });
    else causes.push(exception);
  }
  const main = causes.at(-1)!;
  const consequences = causes.slice(0, -1).map((each): RelatedException => ({ ...each, relation: 'consequence' }));
  return { main, related: [...consequences.reverse(), ...related] };
}

const HEADING = 'A fatal error has been detected by the Java Runtime Environment:';
/** Lines up to the frame that failed, and up to the list of frames in the file. */
const MAX_HEAD = 24;
const MAX_FILE = 120;

/** Crashes of the virtual machine: the report that it prints, and writes to hs_err_pid1234.log. */
export const hotspot: TextFormat = {
  name: 'Java VM crash',
  read(lines, at) {
    if (!lines[at]!.includes(HEADING)) return null;
    const head = lines.slice(at + 1, at + MAX_HEAD).map(bare);
    const type =
      head.map((line) => /^(\w{1,60}) \(0x?[0-9a-f]{1,16}\) at pc=/i.exec(line)?.[1]).find(Boolean) ?? 'Crash';
    const problem = head.findIndex((line) => line.startsWith('Problematic frame:'));
    const failed = problem < 0 ? null : hotspotFrameOf(head[problem + 1] ?? '');
    for (let next = at + 1; next < lines.length && next < at + MAX_FILE; next++) {
      if (!/^(?:Native|Java) frames: /.test(lines[next]!)) continue;
      const { frames, end } = readFrames(lines, next + 1, hotspotFrameOf);
      if (frames.length > 0) return { isNative: true, isFatal: true, main: { type, message: '', frames }, end };
    }
    const frames = failed === null ? [] : [failed];
    return { isNative: true, isFatal: true, main: { type, message: '', frames }, end: at + 1 + head.length };
  },
};

/** The console has a `#` before each line. */
function bare(line: string): string {
  return line.replace(/^#\s{0,4}/, '').trim();
}

/**
 * `C  [libowls.so+0x2f1c]  alcOpenDevice+0x20`, `J 1234 c2 owls.Nest.land(I)V (12 bytes) @ 0x… [0x…+0x2c]`,
 * `j  owls.Nest.land(I)V+12`, `v  ~StubRoutines::call_stub`.
 */
function hotspotFrameOf(line: string): TraceFrame | null {
  const [, kind, rest] = /^([CVJjvA]) {1,4}(\S.{0,900})$/.exec(line.trim()) ?? [];
  if (kind === undefined || rest === undefined) return null;
  const native = /^\[([^\]+]{1,200})\+(0x[0-9a-f]{1,16})\](?: {1,4}(.{1,600}?)(?:\+0x[0-9a-f]{1,16})?)?$/.exec(rest);
  if (native !== null) return nativeFrame({ module: native[1]!, offset: native[2]!, function: native[3] ?? null });
  if (kind === 'v') return nativeFrame({ module: 'jvm', function: rest.replace(/^~/, '') });
  const method = /([\w$./<>]{1,300})\([^)]{0,300}\)/.exec(rest)?.[1];
  return method === undefined ? null : javaFrame(method);
}
