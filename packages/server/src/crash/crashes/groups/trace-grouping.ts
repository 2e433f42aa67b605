// Decides which group a text report belongs to: by the type, the message and the frames of its root cause, with the lists
// and rules that group dumps.
import { hash } from 'node:crypto';
import type { Frame } from '@chauffeur/minidump/report';
import { labelFrames } from '@chauffeur/minidump/signature/frames/label-frames';
import type { Pattern } from '@chauffeur/minidump/signature/lists/pattern-list';
import { defaultLists, extendLists, type SignatureLists } from '@chauffeur/minidump/signature/lists/signature-lists';
import { cutTo, toPrintable } from '@chauffeur/minidump/signature/printable';
import { makeSignature } from '@chauffeur/minidump/signature/signature';
import type { OsName } from '@chauffeur/minidump/streams/system-info';
import { javascript } from '../text/formats/javascript.ts';
import { osOfPath } from '../text/own-frame.ts';
import { stemOf } from '../text/source-names.ts';
import { STACK_OVERFLOW, sameMessage, shortType, typeOfMessage } from '../text/stable-message.ts';
import type { Trace, TraceFrame } from '../text/trace.ts';
import type { GameRules } from './game-rules.sql.ts';
import { listsOf } from './game-rules.ts';
import { classOfReason } from './own-code.ts';

const MAX_REASON_LENGTH = 255;
/** Enough to find similar groups. */
const MAX_FUNCTIONS = 5;
/** Functions without a name say little, so the next one with a name is added after at most this many. */
const MAX_UNNAMED = 2;

/**
 * The group of a report with this trace. Without frames, reports of different versions and systems are kept apart, as
 * those without a trace are.
 */
export function groupByTrace(
  trace: Trace,
  { appVersion, os }: { readonly appVersion: string; readonly os: string },
  rules: GameRules,
) {
  const type = cutTo(toPrintable(shortType(typeOf(trace))), MAX_REASON_LENGTH);
  const { frames, note } = decidingFrames(trace);
  const typeClass = classOfReason(type);
  const message = sameMessage(trace.main, { isNative: trace.isNative, hasOwn: frames.some(({ own }) => own) });
  const labelled = frames.map((each) => signatureFrame(each, trace.isNative));
  const system = systemOf(frames);
  const { signature, notes } = makeSignature(
    {
      os: system,
      reason: message === STACK_OVERFLOW ? 'EXCEPTION_STACK_OVERFLOW' : type,
      frames: labelled,
      loaded: loadedModules(frames),
      exception: { type: typeClass, message: message === STACK_OVERFLOW ? '' : message },
    },
    { lists: withUnnamed(listsOf(rules.rules), labelled) },
  );
  const hasFrames = frames.length > 0;
  const build = `${toPrintable(appVersion) || 'unknown'} on ${toPrintable(os) || 'unknown'}`;
  return {
    key: hash(
      'sha256',
      JSON.stringify(['trace', typeClass, signature, ...(hasFrames ? [] : [appVersion, os])]),
      'buffer',
    ),
    kind: 'stack' as const,
    title: signature,
    reason: type || null,
    explanation: [
      `format: ${trace.format}, read from the text of the report`,
      hasFrames ? note : `frames: none, so only reports of version ${build} are in this group`,
      ...notes,
    ].filter((each) => each !== null),
    functions: functionsOf(frames, labelled, system),
    rulesVersion: rules.version,
  };
}

/** Clients of JavaScript may send only the message, and Firefox and Safari have no type in a stack. */
function typeOf({ format, main: { type, message } }: Trace): string {
  return type === '' && format === javascript.name ? typeOfMessage(message) : type;
}

/**
 * The frames of the root cause. Those of exceptions that it led to follow if none of its own is in the game's code: some
 * runtimes record an exception only up to where it was caught. Of managed frames, only the game's count.
 */
function decidingFrames({ main, related, isNative }: Trace): { frames: readonly TraceFrame[]; note: string | null } {
  // Nothing is known of a frame that has only an address, which differs from run to run.
  if (isNative) return { frames: main.frames.filter((each) => each.function ?? each.module ?? each.file), note: null };
  const outer = related.filter(({ relation }) => relation === 'consequence').flatMap(({ frames }) => frames);
  const all = main.frames.some(({ own }) => own) ? main.frames : [...main.frames, ...outer];
  const own = all.filter((each) => each.own);
  if (own.length === 0)
    return {
      frames: all,
      note: all.length === 0 ? null : `frames: none is in the game's code; used all ${all.length}`,
    };
  const skipped = all.length - own.length;
  const note = skipped === 0 ? null : `frames: used ${own.length} in the game's code, ignored ${skipped} of libraries`;
  return { frames: withoutRepeatedUnnamed(own), note };
}

function withoutRepeatedUnnamed(frames: readonly TraceFrame[]): readonly TraceFrame[] {
  const named = frames.findIndex(({ function: name }) => name !== null);
  const leading = frames.slice(0, named < 0 ? frames.length : named);
  return named < 0 ? leading.slice(0, MAX_UNNAMED) : [...leading.slice(0, MAX_UNNAMED), ...frames.slice(named)];
}

/** Lines and columns differ between builds. A managed function without a name is known by its file. */
function signatureFrame({ function: name, module, offset, file }: TraceFrame, isNative: boolean): Frame {
  return {
    frame: 0,
    trust: 'cfi',
    offset: '0x0',
    return_address: '0x0',
    module: (isNative ? module : null) ?? (name === null && file !== null ? stemOf(file) : null),
    module_offset: isHex(offset) ? offset : null,
    function: name,
    function_offset: null,
    file,
    line: null,
    line_offset: null,
    inlines: [],
    missing_symbols: false,
    unloaded_modules: [],
    registers: {},
  };
}

function isHex(text: string | null): text is `0x${string}` {
  return text !== null && /^0x[0-9a-f]{1,16}$/i.test(text);
}

/** The OS of the modules; their names and folders decide. Windows ignores the case of names. */
function systemOf(frames: readonly TraceFrame[]): OsName {
  const systems = frames.map(({ path, module }) => osOfPath(path ?? module ?? ''));
  return (
    systems.find((os) => os === 'windows' || os === 'android') ?? systems.find((os) => os !== 'unknown') ?? 'unknown'
  );
}

function loadedModules(frames: readonly TraceFrame[]) {
  const paths = new Map(
    frames.flatMap(({ module, path }) => (module === null || path === null ? [] : [[module, path]])),
  );
  return { modules: [...paths].map(([filename, code_file]) => ({ filename, code_file })), main: null };
}

/** A function that is known by its file or module only says little, so the next frame is added, too. */
function withUnnamed(lists: SignatureLists, frames: readonly Frame[]): SignatureLists {
  const unnamed = new Set(
    frames.flatMap(({ function: name, module, module_offset: offset }) =>
      name === null && module !== null && offset === null ? [module, module.toLowerCase()] : [],
    ),
  );
  const entry: Pattern = { match: /(?:)/, why: 'function without a name' };
  return extendLists(lists, { prefix: { find: (label) => (unnamed.has(label) ? entry : undefined) } });
}

/** The labels of the game's innermost functions, each once. */
function functionsOf(frames: readonly TraceFrame[], labelled: readonly Frame[], system: OsName): string[] {
  const own = labelled.filter((_, index) => frames[index]!.own && frames[index]!.function !== null);
  const labels = labelFrames(own, system, defaultLists.trim).map(({ label }) => label);
  return [...new Set(labels)].slice(0, MAX_FUNCTIONS);
}
