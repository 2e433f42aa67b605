// Errors of JavaScript: V8 (Chrome, Node, NW.js, Electron), SpiderMonkey (Firefox) and JavaScriptCore (Safari).
import { locationOf, splitFirst } from '../line-parsers.ts';
import { shownFile, stemOf } from '../source-names.ts';
import {
  frame,
  headerOf,
  type RelatedException,
  readHeader,
  type TextFormat,
  type Trace,
  type TraceException,
  type TraceFrame,
  type TraceReading,
} from '../trace.ts';

/** Engines and libraries, by the names of their files. RPG Maker's core is among them; its plugins are the game's. */
const LIBRARY =
  /^(?:phaser|pixi|three|babylon|playcanvas|createjs|easeljs|howler|p5|matter|box2d|planck|cannon|ammo|rapier|jquery|lodash|react|vue|svelte|angular|polyfills?|vendors?|runtime|zone|c[23]runtime|cocos|cc|box2dweb|rpg_(?:core|managers|objects|scenes|sprites|windows)|rmmz_\w{1,20}|melonjs|kaboom|kontra|impact|excalibur|gdjs|pixi-\w{1,30}|phaser-\w{1,30}|three\.module|babylon\.\w{1,30}|unityloader|emscripten)(?:[.-].{0,40})?$/i;

export const javascript: TextFormat = {
  name: 'JavaScript',
  read(lines, at) {
    const header = readHeader(lines, at, frameOf);
    return header === null ? null : readChain(lines, header.framesAt, header);
  },
};

type Open = Pick<TraceException, 'type' | 'message'> & { frames: TraceFrame[] };

function readChain(lines: readonly string[], framesAt: number, { type, message }: Omit<Open, 'frames'>): TraceReading {
  const causes: Open[] = [{ type, message, frames: [] }];
  const errors: Open[] = [];
  let current = causes[0]!;
  let isInErrors = false;
  let at = framesAt;
  for (; at < lines.length; at++) {
    const parsed = frameOf(lines[at]!);
    if (parsed !== null) {
      current.frames.push(parsed);
      continue;
    }
    const text = lines[at]!.trim();
    if (/^\[errors\]: \[$/.test(text)) isInErrors = true;
    if (isInErrors || CLOSING.test(text)) {
      const named = headerOf(text);
      if (named === null || errors.length > 16) continue;
      current = { ...named, frames: [] };
      errors.push(current);
      continue;
    }
    const cause = /^(?:\[cause\]|caused by|cause): (.{1,1000})$/i.exec(text)?.[1]?.replace(/ \{$/, '');
    if (cause === undefined || causes.length > 16) break;
    current = { ...(headerOf(cause) ?? { type: 'Error', message: cause }), frames: [] };
    causes.push(current);
  }
  return { isNative: false, isFatal: false, ...relate(causes, errors), end: at };
}

/** What Node prints after the frames: the other properties of the error. */
const CLOSING = /^(?:[\]}{,)]{1,10}|(?:code|errno|syscall|path|generatedMessage|operator): .{0,300})$/;

/** The first error of an AggregateError decides. */
function relate(causes: readonly Open[], errors: readonly Open[]): Pick<Trace, 'main' | 'related'> {
  const chain = errors.length === 0 ? causes : [...causes, errors[0]!];
  const related: RelatedException[] = [
    ...chain
      .slice(0, -1)
      .map((each): RelatedException => ({ ...each, relation: 'consequence' }))
      .reverse(),
    ...errors.slice(1).map((each): RelatedException => ({ ...each, relation: 'sibling' })),
  ];
  return { main: chain.at(-1)!, related };
}

function frameOf(line: string): TraceFrame | null {
  const text = line.trim().replace(/ \{$/, '').replace(/,$/, '');
  if (text.startsWith('at ')) return frameOfV8(text.slice(3));
  if (text === '[native code]') return javascriptFrame('', text);
  const [name, place] = splitFirst(text, '@') ?? [null, ''];
  if (name === null) return null;
  if (place === '[native code]' || place === '[wasm code]') return javascriptFrame(name, place);
  return !/\s/.test(place.replace(/ line \d{1,7} > /g, '')) && isPlace(place) ? javascriptFrame(name, place) : null;
}

/** `Player.update (http://localhost/game.js:1:2)` or only the place. */
function frameOfV8(text: string): TraceFrame | null {
  const open = text.indexOf(' (');
  if (open < 0 || !text.endsWith(')')) {
    const place = text.replace(/^async /, '');
    // Typed into a console, or evaluated.
    if (/^<anonymous>:\d{1,9}:\d{1,9}$/.test(place)) return javascriptFrame('', '<anonymous>');
    // A path may have spaces and brackets; a frame of .NET has brackets, too.
    return isPlace(place) && (ABSOLUTE.test(place) || !/[()<>]/.test(place)) ? javascriptFrame('', place) : null;
  }
  // Hermes runs bytecode, whose columns it calls addresses.
  const [name, place] = [text.slice(0, open), text.slice(open + 2, -1).replace(/^address at /, '')];
  if (place === '<anonymous>' || place === 'native' || /^index \d{1,6}$/.test(place))
    return javascriptFrame(name, place);
  // Inside of eval, the outer place says which file it is.
  const outer = place.startsWith('eval at ') ? /\(([^()]{1,900})\)/.exec(place)?.[1] : place;
  return outer !== undefined && isPlace(outer) ? javascriptFrame(name, outer) : null;
}

/** The start of a URL or a path with a folder. */
const ABSOLUTE = /^(?:[a-z][\w+.-]{1,30}:\/\/|[a-z]:[\\/]|\/)/i;

/**
 * A URL or path with a line: `http://localhost/a.js:1:2`, `node:internal/timers:1:2`,
 * `wasm://wasm/4f:wasm-function[3]:0x1a`.
 */
function isPlace(text: string): boolean {
  return (
    !/[()]/.test(text.slice(0, 4)) &&
    (/:\d{1,9}$/.test(text) || /wasm-function\[\d{1,9}\](?::0x[0-9a-f]{1,16})?$/.test(text))
  );
}

/** A frame of a function as its engine names it, at a place such as `http://localhost/game.js:1:2`. */
export function javascriptFrame(rawName: string, rawPlace: string): TraceFrame {
  const wasm = splitFirst(rawPlace, ':wasm-function[');
  const place = splitFirst(rawPlace, ' line ')?.[0] ?? rawPlace;
  const { file, line, column } = wasm === null ? locationOf(place) : { file: wasm[0], line: null, column: null };
  // Some engines name no module.
  const isUnplaced = rawPlace === '[wasm code]' || /^wasm-function\[/.test(rawPlace);
  const isWasm = wasm !== null || isUnplaced;
  const isBuiltIn = /^(?:node:|internal\/|\[native code\]|native$|<anonymous>$|index \d|chrome:|resource:)/.test(
    rawPlace,
  );
  const isLibrary = /\/node_modules\/|\/(?:webpack|vite)\/runtime|^webpack:\/\/\/?webpack\//.test(rawPlace);
  const name = isWasm ? wasmName(rawName) : functionName(rawName);
  const stem = isBuiltIn ? '' : stemOf(file);
  // What a page runs outside of functions has no name at all if its address ends in a slash.
  const isPage = name === null && file.endsWith('/');
  return frame({
    function: isBuiltIn ? rawName || null : name === null || isWasm ? name : `${stem}.${name}`,
    file: isBuiltIn || isUnplaced ? null : shownFile(file),
    line,
    column,
    own: !isBuiltIn && !isLibrary && !isPage && !LIBRARY.test(stem),
  });
}

/** Names of one or two characters are a minifier's, and differ from build to build. */
const MIN_NAME = 3;

/**
 * The name of the function alone, because engines disagree about the rest: `new Player`, `Object.update [as tick]` and
 * `async update` in V8, `Player.prototype.update`, `update/<` and `update*` in others. Null for one without a name.
 */
function functionName(text: string): string | null {
  const bare = text
    .replace(/ \[as [^\]]{0,200}\]$/, '')
    .replace(/^(?:async |new |async\*)/, '')
    // Accessors and static methods.
    .replace(/(^|\.)(?:static )?(?:get |set )?(?=[#\p{L}_$][\p{L}\p{N}_$]*$)/u, '$1')
    .replace(/(?:\/?<|\*){1,20}$/, '')
    .replace(/\/[<\w.]{0,100}$/, '');
  if (/^(?:global|module|eval) code$|^<?anonymous>?$|^eval$|<anonymous>$/.test(bare)) return null;
  const name = bare.slice(bare.lastIndexOf('.') + 1).replace(/\[\d{0,9}\]/g, '');
  return name.length < MIN_NAME || !/^[#\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) ? null : name;
}

/** `game.wasm.Node::_process(double)`: the name of the native function, if the module has names. */
function wasmName(text: string): string | null {
  const name = text.replace(/^[\w.-]{1,100}\.wasm\./, '').replace(/^<\?>\./, '');
  return name === '' || /^(?:wasm-function|func|f)?\[?\d{0,9}\]?$/.test(name) ? null : name;
}
