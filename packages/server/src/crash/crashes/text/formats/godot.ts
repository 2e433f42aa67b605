// Godot 3 and 4: errors of scripts and of the engine, and the report of the crash handler on each OS.
import { after, leadingNumber, locationOf, splitFirst, splitLast } from '../line-parsers.ts';
import { nameSignal, nativeFrame, nativeRest, withoutDistance } from '../native-frames.ts';
import { qualify } from '../source-names.ts';
import { frame, headerOf, type TextFormat, type TraceFrame, type TraceReading } from '../trace.ts';

const LEVELS = ['SCRIPT ERROR: ', 'USER SCRIPT ERROR: ', 'USER ERROR: ', 'ERROR: '] as const;

export const godotScript: TextFormat = {
  name: 'Godot',
  read(lines, at) {
    // Log files of 3.x have asterisks around the level.
    const line = lines[at]!.trimStart().replace(/^\*\*([A-Z ]{5,20})\*\*: /, '$1: ');
    const level = LEVELS.find((each) => line.startsWith(each));
    if (level !== undefined) return readError(lines, at, level, line.slice(level.length));
    // A logger's level was removed with its prefix.
    if (
      at + 1 < lines.length &&
      /^\s{0,20}at: .{1,300} \(.{1,300}:\d{1,7}\)$/.test(lines[at + 1]!) &&
      !line.startsWith('at')
    )
      return readError(lines, at, 'ERROR: ', line);
    // A backtrace may have no error, such as from `Engine.capture_script_backtraces`.
    if (!isBacktrace(line)) return null;
    const { frames, end } = readBacktraces(lines, at);
    return frames.length === 0 ? null : readingOf('', '', frames, end);
  },
};

/**
 * What the editor copies from its list of errors, in the language of the editor. The level and the time were removed
 * with the prefix:
 *
 * E 0:00:08.275   nest.gd:12 @ land(): The nest is full <C++ Source>  core/variant/variant_utility.cpp:1024 @
 * push_error() <Stack Trace> nest.gd:12 @ land() owl.gd:30 @ _process()
 */
export const godotConsole: TextFormat = {
  name: 'Godot',
  read(lines, at) {
    const text = lines[at]!.trim();
    if (text.startsWith('<') || /^W \d/.test(text)) return null;
    let end = at + 1;
    const places: { frame: TraceFrame; isLabelled: boolean }[] = [];
    for (; end < lines.length; end++) {
      const [, label, item = ''] = /^\s{1,40}(?:<([^<>]{1,40})>)?\s{0,40}(\S.{0,900})$/.exec(lines[end]!) ?? [];
      const isLabelled = label !== undefined;
      const found = consolePlace(item);
      // The condition that failed has no place, and only a stack has lines without a label.
      if (found === null ? !isLabelled || places.length > 0 : !isLabelled && places.length < 2) break;
      if (found !== null) places.push({ frame: found, isLabelled });
      if (end > at + MAX_CONSOLE_LINES) break;
    }
    const header = /^(\S.{0,300}?:\d{1,7} @ .{1,300}?\(.{0,200}?\)): /.exec(text)?.[1];
    const [source = consolePlace(header ?? ''), ...stack] = places.map((each) => each.frame);
    if (source === null) return null;
    if (places.length === 0) end = at + 1;
    const isScript = /\.(?:gd|gdc|cs)$/.test(source.file ?? '');
    const isRepeated = isScript && stack[0]?.function === source.function;
    const message = consoleMessage(text, [source, stack[0]]);
    const named = headerOf(message);
    const isCsharp = (source.file ?? '').endsWith('.cs');
    const type = isScript ? 'SCRIPT ERROR' : source.function === 'push_error' ? 'USER ERROR' : 'ERROR';
    return readingOf(
      isCsharp && named !== null ? named.type : type,
      isCsharp && named !== null ? named.message : message,
      isRepeated ? stack : [source, ...stack],
      end,
    );
  },
};

/** A stack overflow of GDScript has 1024. */
const MAX_CONSOLE_LINES = 1100;

/** `nest.gd:12 @ land()`, and `Nest.cs:12 @ void Owls.Nest.Land(Single)`. */
function consolePlace(text: string): TraceFrame | null {
  const [place, called] = splitFirst(text, ' @ ') ?? ['', ''];
  if (!/^\S.{0,300}:\d{1,7}$/.test(place) || !called.endsWith(')')) return null;
  return scriptFrame(called, place);
}

/** The message without the place or the function in front of it, and the parentheses of 3.x around it. */
function consoleMessage(text: string, callers: readonly (TraceFrame | undefined)[]): string {
  const placed = /^\S.{0,300}?:\d{1,7} @ .{1,300}?\(.{0,200}?\): (.{1,900})$/.exec(text)?.[1];
  const [before, rest] = splitFirst(text, ': ') ?? ['', text];
  const lastName = (name: string) => name.split(/[.:]/).at(-1);
  const isCaller = callers.some((each) => lastName(each?.function ?? '') === lastName(before));
  const isNamed = /^[\w.:]{1,200}$/.test(before) && isCaller;
  return (placed ?? (isNamed ? rest : text)).replace(/^\((.{1,900})\)$/, '$1');
}

/** Frames of scripts decide; without any, the place in the engine does. */
function readError(lines: readonly string[], at: number, level: string, text: string): TraceReading | null {
  // The frames of an exception of C# follow its message, and are .NET's.
  if (headerOf(text) !== null && (lines[at + 1] ?? '').trimStart().startsWith('at ')) return null;
  let end = at + 1;
  // The message may have several lines.
  while (end < lines.length && end < at + 6 && placeOf(lines[end]!) === null && !isBacktrace(lines[end]!)) end += 1;
  const place = end < lines.length ? placeOf(lines[end]!) : null;
  if (place === null && !(end < lines.length && isBacktrace(lines[end]!))) return null;
  if (place !== null) end += 1;
  const backtraces = readBacktraces(lines, end);
  const isRepeated = backtraces.frames[0]?.function === place?.function;
  const frames = [...(place === null || isRepeated ? [] : [place]), ...backtraces.frames];
  // An exception of C#, whose own stack follows the message.
  const named = level === 'ERROR: ' ? headerOf(text) : null;
  // Godot 3.0 to 3.3 names the function before the message: `_ready: Invalid call.`
  const [name, message] = place?.function?.endsWith(':') ? (splitFirst(text, ': ') ?? ['', text]) : ['', text];
  const fixed = frames.map((each, index) =>
    index === 0 && name !== '' ? { ...each, function: qualify(name, each.file) } : each,
  );
  return readingOf(named?.type ?? level.trim().slice(0, -1), named?.message ?? message, fixed, backtraces.end);
}

function readingOf(type: string, message: string, frames: readonly TraceFrame[], end: number): TraceReading {
  return { isNative: false, isFatal: false, main: { type, message, frames }, end };
}

/**
 * `   at: _process (res://player.gd:42)`; `   At: res://player.gd:42:_process()` and `   At: res://player.gd:42.` of
 * 3.x.
 */
function placeOf(line: string): TraceFrame | null {
  const text = line.trimStart();
  const rest = after(text, 'at: ') ?? after(text, 'At: ');
  if (rest === null) return null;
  const inParentheses = splitLast(rest, ' (');
  if (inParentheses !== null && rest.endsWith(')')) return scriptFrame(inParentheses[0], inParentheses[1].slice(0, -1));
  const [path, name = ''] = splitCalled(rest.replace(/\.$/, '')) as [string, string?];
  return path === '' ? null : scriptFrame(name, path, true);
}

/** `res://a.gd:42:_ready() - text` → the place, and the function. */
function splitCalled(text: string): string[] {
  const called = /^(.{1,300}?:\d{1,7}):@?([\w.<>]{1,100})\(\)/.exec(text);
  return called === null ? [text] : [called[1]!, called[2]!];
}

/** Plugins are in `res://addons`; the engine's own functions are in C++ files. */
/** A frame of a script at a place such as `res://player.gd:42`, or of the engine at another file. */
export function scriptFrame(rawName: string, place: string, isOld = false): TraceFrame {
  const { file, line } = locationOf(place);
  const isScript = file.includes('://') || /\.(?:gd|gdc|cs|tscn|scn|tres|gdshader)$/.test(file);
  const bare = rawName
    .trim()
    .replace(/\(.{0,300}$/, '')
    .replace(/^(?:void|bool|int|double|float) /, '');
  // `Player._process` in Godot 3.4 and later names the class, which may differ from the file.
  const name = bare === '' || isLambda(bare) ? null : bare.slice(bare.lastIndexOf('.') + 1).replace(/^.*::/, '');
  const isCsharp = file.endsWith('.cs');
  const qualified = isCsharp ? bare : isScript ? qualify(name ?? 'lambda', file) : bare;
  return frame({
    function: isOld && bare === '' ? (isScript ? `${qualify('', file)}:` : null) : qualified || null,
    file,
    line: line === 0 ? null : line,
    own: isScript && !file.startsWith('res://addons/') && !(isCsharp && /^(?:Godot|GodotPlugins|System)\./.test(bare)),
  });
}

function isLambda(name: string): boolean {
  return /^<?anonymous lambda>?|^@?lambda/.test(name);
}

/** `GDScript backtrace (most recent call first):` and `C# backtrace (…):`. */
function isBacktrace(line: string): boolean {
  return /^\s{0,40}(?:GDScript|C#) backtrace(?: \(most recent call first\))?:$/.test(line.slice(0, 80));
}

function readBacktraces(lines: readonly string[], from: number): { frames: TraceFrame[]; end: number } {
  const frames: TraceFrame[] = [];
  let end = from;
  // Rulers and headings, of which there are a few.
  let others = 0;
  for (; end < lines.length && others < 6; end++) {
    const text = lines[end]!.trimStart();
    others += 1;
    if (isBacktrace(text) || /^[=-]{2,100}(?: END OF .{1,60})?$/.test(text)) continue;
    const call = /^\[ ?\d{1,4}\] /.exec(text);
    const parts = call === null ? null : splitLast(text.slice(call[0].length), ' (');
    if (parts === null || !text.endsWith(')')) break;
    frames.push(scriptFrame(parts[0], parts[1].slice(0, -1)));
    others = 0;
  }
  return { frames, end };
}

export const godotCrash: TextFormat = {
  name: 'Godot crash handler',
  read(lines, at) {
    const line = lines[at]!.trimStart();
    const crashed = after(line, 'handle_crash: ') ?? after(line, 'CrashHandlerException: ');
    if (crashed === null || !crashed.startsWith('Program crashed')) return null;
    const signal = leadingNumber(splitLast(crashed, ' signal ')?.[1] ?? '');
    const frames: TraceFrame[] = [];
    let end = at + 1;
    for (; end < lines.length; end++) {
      const text = lines[end]!.trim();
      if (text.startsWith('-- END OF')) break;
      const number = /^\[ ?\d{1,4}\] /.exec(text);
      const parsed = number === null ? null : crashFrame(text.slice(number[0].length));
      if (parsed !== null) frames.push(parsed);
      else if (frames.length > 0 && number === null && text !== '' && !text.startsWith('Load address')) break;
    }
    if (lines[end]?.trim().startsWith('-- END OF')) end += 1;
    const scripts = readBacktraces(lines, end);
    // The functions of scripts say where the game was. Those of the engine are mostly without names.
    const isScripted = scripts.frames.some(({ own }) => own);
    const main = {
      type: signal === null ? 'Crash' : nameSignal(signal),
      message: '',
      frames: isScripted ? [...frames.map((each) => ({ ...each, own: false })), ...scripts.frames] : frames,
    };
    return { isNative: !isScripted, isFatal: true, main, end: scripts.end };
  },
};

/** Programs at a fixed address are below this one, and the same code has the same address in every run. */
const MAX_FIXED = 0x1000_0000;

function fixedAddress(address: string): string | null {
  return Number(address) < MAX_FIXED ? address : null;
}

/** A frame of the handler of one OS, without its number. */
function crashFrame(text: string): TraceFrame | null {
  if (text.startsWith('error(') || text.startsWith("Couldn't map")) return null;
  // macOS, with the address first since 4.5: `1017a088c - main(int) (in Owls) + 104`.
  const rest = text.replace(/^[0-9a-f]{6,16} - /, '');
  const inModule = /^(.{1,500}) \(in ([^()]{1,200})\)(?: \+ \d{1,12}| \(.{0,200}\))?$/.exec(rest);
  if (inModule !== null) return nativeFrame({ function: inModule[1]!, module: inModule[2]! });
  // The line of `backtrace_symbols`: `2   libsystem_platform.dylib   0x00000001836a9a24 _sigtramp + 56`.
  const symbol = /^\d{1,4} {1,40}(\S{1,200}) {1,60}0x[0-9a-f]{1,16} (.{1,500})$/.exec(rest);
  if (symbol !== null) {
    const name = withoutDistance(symbol[2]!);
    return nativeFrame({ function: /^0x/.test(name) ? null : name, module: symbol[1] === '???' ? null : symbol[1]! });
  }
  // Linux: `/lib/libc.so.6(+0x42520) [0x7f0000042520] (??:0)` and `/games/owls.x86_64() [0xbcc6f6] (player.cpp:12)`.
  const linux = /^([^()]{1,300})\(([^()]{0,300})\) \[(0x[0-9a-f]{1,16})\](?: \((.{1,300})\))?$/.exec(rest);
  if (linux !== null) {
    const [, module, inside, address, place = ''] = linux;
    const [name, distance] = splitLast(inside!, '+') ?? [inside!, null];
    const { file, line } = place === '' || place.startsWith('??') ? { file: null, line: null } : locationOf(place);
    return nativeFrame({
      function: name || null,
      module: module!,
      offset: name === '' ? (distance ?? fixedAddress(address!)) : null,
      file,
      line,
    });
  }
  return nativeRest(rest.replace(/ \(\?\?:0\)$/, ''));
}
