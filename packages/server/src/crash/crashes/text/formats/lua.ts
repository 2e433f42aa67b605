// Errors of Lua: LÖVE, Defold, Solar2D and the plain interpreter.
import { after, isBlank, isDigits, locationOf, splitFirst } from '../line-parsers.ts';
import { qualify, shownFile } from '../source-names.ts';
import { frame, type TextFormat, type TraceFrame, type TraceReading } from '../trace.ts';

/** Lines between the message and the traceback. */
const MAX_BETWEEN = 6;

export const lua: TextFormat = {
  name: 'Lua',
  read(lines, at) {
    const error = errorOf(lines[at]!);
    if (error === null) return null;
    let start = at + 1;
    // The places where a module was looked for don't count.
    for (let others = 0; start < lines.length && others < MAX_BETWEEN && !isStart(lines[start]!); start++)
      if (!/^\s{1,20}no (?:field|file|module) /.test(lines[start]!)) others += 1;
    if (start >= lines.length || !isStart(lines[start]!)) return error.isNamed ? readingOf(error, [], at + 1) : null;
    const frames: TraceFrame[] = [];
    let end = start + 1;
    for (; end < lines.length; end++) {
      const text = lines[end]!.trim();
      if (isBlank(text) && frames.length === 0) continue;
      const parsed = isOmission(text) ? undefined : callOf(text);
      if (parsed === null) break;
      if (parsed !== undefined) frames.push(parsed);
    }
    return readingOf(error, frames, end);
  },
};

function readingOf({ message, place }: LuaError, frames: readonly TraceFrame[], end: number): TraceReading {
  // The place in the message is that of the innermost frame, which `error` with a level leaves out.
  const top = frames.find(({ own }) => own);
  const isKnown = top !== undefined && top.file === place?.file;
  const all = place === null || isKnown ? frames : [place, ...frames];
  // The places where a module was looked for follow.
  const main = { type: 'Lua error', message: message.replace(/:$/, ''), frames: all };
  return { isNative: false, isFatal: true, main, end };
}

/** Instead of frames: `...`, `... (skipping 12 levels)`, `(...tail calls...)`, and `(tail call): ?` of 5.1. */
function isOmission(text: string): boolean {
  return text === '...' || /^\.\.\..{0,40}(?:skipping|skipped)/.test(text) || /^\((?:\.\.\.)?tail calls?/.test(text);
}

function isStart(line: string): boolean {
  const text = line.trim();
  return text === 'Traceback' || text === 'stack traceback:' || text === 'Stack traceback:';
}

type LuaError = {
  readonly message: string;
  readonly place: TraceFrame | null;
  /** Whether the line says for sure that it is an error, which needs no traceback. */
  readonly isNamed: boolean;
};

/** The interpreter, with its folder: `lua: `, `/usr/bin/lua5.4: `, `C:\tools\luajit.exe: `. */
const INTERPRETER = /^(?:\S{0,200}[\\/])?lua(?:jit)?[\d.-]{0,12}(?:\.exe)?: /;
/** What other programs write before an error. */
const PROGRAM = /^(?:love|Error|ERROR:SCRIPT|PANIC|Runtime error): /;

/** `main.lua:12: attempt to index global 'player' (a nil value)`, with what a program writes before it. */
function errorOf(line: string): LuaError | null {
  const whole = line.trim();
  const panic = splitFirst(whole, 'PANIC: unprotected error in call to Lua API (')?.[1];
  const named = panic?.replace(/\)$/, '') ?? (INTERPRETER.test(whole) ? whole.replace(INTERPRETER, '') : undefined);
  const text = named ?? whole.replace(PROGRAM, '');
  if (/^Error: ?$/.test(text) || text === '') return null;
  const place = placeOf(text);
  if (place === null) return named === undefined ? null : { message: text, place, isNamed: panic !== undefined };
  return {
    message: place.rest,
    place: frame({ file: shownFile(place.file), line: place.line, own: isOwn(place.file) }),
    isNamed: named !== undefined,
  };
}

/** `path/main.lua:12: rest` and `[string "main.lua"]:12: rest`. */
function placeOf(text: string): { file: string; line: number; rest: string } | null {
  const named = /^\[(?:string|love|\w{1,20}) "([^"]{1,300})"\]:(\d{1,7}): ?(.{0,1000})$/.exec(text);
  if (named !== null) return { file: named[1]!, line: Number(named[2]), rest: named[3]! };
  // The drive of Windows has a colon, too.
  const found = /^((?:[A-Za-z]:)?[^:"]{1,300}):(\d{1,7}): ?(.{0,1000})$/.exec(text);
  return found === null ? null : { file: found[1]!, line: Number(found[2]), rest: found[3]! };
}

/** `main.lua:12: in function 'update'`, `in method 'name'`, `in function <main.lua:10>`, `[C]: in ?`. */
function callOf(text: string): TraceFrame | null {
  const parts = splitFirst(text, ': in ') ?? splitFirst(text, ': at ') ?? splitFirst(text, ': ');
  if (parts === null || !/^(?:\[|[^\s"]{1,300}:\d{1,7}$|=?\[)/.test(parts[0])) return null;
  const [place, called] = parts;
  const { file, line } = fileOf(place);
  const name = nameOf(called);
  const own = isOwn(file) && !place.startsWith('[love ') && !place.startsWith('[C]') && !place.startsWith('[builtin');
  return frame({
    function: name === null || !own ? name : qualify(name, file),
    file: place.startsWith('[C]') ? null : shownFile(file),
    line,
    own,
  });
}

function fileOf(place: string): { file: string; line: number | null } {
  const named = /^\[\w{1,20} "([^"]{1,300})"\](?::(\d{1,7}))?/.exec(place);
  if (named !== null) return { file: named[1]!, line: named[2] === undefined ? null : Number(named[2]) };
  return locationOf(place);
}

/**
 * Files of LÖVE, Defold and Solar2D themselves, which are in no folder. Those of a game may have the same name in one.
 */
function isOwn(file: string): boolean {
  return !/^(?:boot|callbacks|nogame|platform_\w+|init)\.lua$|^\/?builtins\/|^\[C\]|^\?$/.test(file);
}

/** The name in quotes; a function without one is known by the lines of its source, which differ between builds. */
function nameOf(called: string): string | null {
  const text = called.trim();
  const quoted = /^(?:function|method|local|upvalue|field|global|metamethod|hook) ['`]([^']{1,200})'/.exec(text)?.[1];
  const plain = after(text, 'function ');
  const name = quoted ?? (plain !== null && /^[\w.:]{1,200}$/.test(plain) ? plain : null);
  if (name !== null && !isDigits(name)) return name.replace(/^[\w.]{1,100}[.:](?=\w+$)/, '');
  return text === 'main chunk' ? 'main' : null;
}
