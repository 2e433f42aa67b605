// Decides which group a report belongs to. Reports with one key are in one group, and the key is a hash of:
//
// - the reason and the signature, if a dump was walked. The signature is made of the frames that say where the program
//   crashed: usually the reliable ones before the first guessed one.
// - the type, the message and the frames of the root cause, if a text of the report has a trace, such as an exception
//   of a managed language. Of managed frames, only those of the game count. Lists and rules are those for dumps.
// - the message without what differs from run to run, the version and the OS, if there is neither.
//
// What differs between two players with one fault must not be in the key: addresses, lines, ids, folders, languages.
// What
// distinguishes two faults must be. A change of this balance moves existing reports, so it needs a new
// GROUPING_VERSION.
//
// The events of Sentry's SDKs may have a fingerprint, which is then the key, or a part of it together with the key that
// the report would have otherwise. The key of an error that the game handled is a hash of the key of the crash.
//
// A game can add rules for its own frames (game-rules.ts), and developers can split a group by a function: the reports
// with it have a key that is made of the key of the group and the function.
import { hash } from 'node:crypto';
import { redactUserPaths } from '@chauffeur/contract/home-folders';
import type { ReportKind } from '@chauffeur/contract/operations/crash-groups';
import type { Frame, Report, SignatureReport } from '@chauffeur/minidump/report';
import { labelFrames } from '@chauffeur/minidump/signature/frames/label-frames';
import type { Pattern } from '@chauffeur/minidump/signature/lists/pattern-list';
import { defaultLists, extendLists, type SignatureLists } from '@chauffeur/minidump/signature/lists/signature-lists';
import { cutTo, toPrintable } from '@chauffeur/minidump/signature/printable';
import { makeSignature } from '@chauffeur/minidump/signature/signature';
import type { OsName } from '@chauffeur/minidump/streams/system-info';
import { fingerprintKey } from '@chauffeur/sentry/grouping';
import { traceOfReport } from '../text/find-trace.ts';
import { javascript } from '../text/formats/javascript.ts';
import { osOfPath } from '../text/native-frames.ts';
import { stemOf } from '../text/source-names.ts';
import { STACK_OVERFLOW, sameMessage, shortType, typeOfMessage } from '../text/stable-message.ts';
import type { Trace, TraceFrame } from '../text/trace.ts';
import { notesOf } from './dump-notes.ts';
import { type GameRules, listsOf } from './game-rules.ts';
import { classOfReason, findOwnCode, type OwnCode, ownFunctions } from './own-code.ts';

/**
 * Increase it with any change of the rules that may move a report to another group. `chauffeur-server regroup` then
 * moves existing reports.
 */
export const GROUPING_VERSION = 4;

export type Grouping = {
  /** SHA-256 of what the reports of the group have in common. */
  readonly key: Uint8Array;
  readonly kind: 'stack' | 'message';
  /** The signature: one line of at most 255 characters. */
  readonly title: string;
  readonly reason: string | null;
  /** How the signature was made, for people. */
  readonly explanation: readonly string[];
  /** The first functions of the game's own code on the stack, each once. Similar groups share some of them. */
  readonly functions: readonly string[];
  /** The version of the game's own rules; absent if they do not matter. */
  readonly rulesVersion?: number;
};

/** The fields of a report that its grouping needs in addition to the dump. */
export type GroupingFields = {
  readonly message: string;
  /** A stack may be in its values. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly appVersion: string;
  readonly os: string;
};

type Stack = Pick<Report, 'crash_info' | 'system_info' | 'threads' | 'modules' | 'main_module'> &
  Partial<Pick<Report, 'crashpad' | 'mac_crash_info'>>;

const MAX_REASON_LENGTH = 255;

/**
 * The signature of a walked dump, made from the frames that count, and the group of its report. If the crashed thread
 * has no frames, the report is grouped by its message: what the client sent, or else what the dump says.
 */
export function groupReport(
  report: Stack,
  sent: GroupingFields,
  { rules, version: rulesVersion }: GameRules,
): { grouping: Grouping; signature: SignatureReport } {
  const os = osOfReport(report);
  const fields = sent.message === '' ? { ...sent, message: notesOf(report).message } : sent;
  const crashed = crashedThread(report);
  const code = findOwnCode(report.modules, report.main_module, os);
  const { frames, note } = chooseFrames(crashed?.frames ?? [], code);
  const { type, address, assertion } = report.crash_info;
  const signature = makeSignature(
    {
      os,
      reason: type,
      address,
      frames: crashed === undefined ? null : frames,
      lastError: crashed?.last_error_value ?? null,
      assertion,
      message: redactUserPaths(fields.message),
      loaded: { modules: report.modules, main: report.main_module },
    },
    { lists: listsOf(rules) },
  );
  if (frames.length === 0) {
    const grouping = groupByText(fields, traceOfReport(fields), { rules, version: rulesVersion });
    if (fields.message !== '' || grouping.kind === 'stack')
      return { grouping: { ...grouping, rulesVersion }, signature };
  }
  const reason = type === null ? null : cutTo(toPrintable(type), MAX_REASON_LENGTH);
  const reasonClass = classOfReason(reason);
  const reasonNote = reason === reasonClass ? `reason: ${reason}` : `reason: ${reasonClass}, the class of ${reason}`;
  const notes = [...(reason === null ? [] : [reasonNote]), ...(note === null ? [] : [note]), ...signature.notes];
  const grouping: Grouping = {
    key: keyOf('stack', reasonClass, signature.signature),
    kind: 'stack',
    title: signature.signature,
    reason,
    explanation: notes,
    functions: ownFunctions(frames, code),
    rulesVersion,
  };
  return { grouping, signature: { signature: signature.signature, notes } };
}

/** The group of a report without a dump: by the trace in one of its texts, or else by its message. */
export function groupByText(fields: GroupingFields, trace: Trace | null, rules: GameRules): Grouping {
  return trace === null ? groupByMessage(fields) : groupByTrace(trace, fields, rules);
}

/**
 * The group of a report without a stack: by its message without numbers, addresses and folders, its version and its OS.
 */
export function groupByMessage({ message, appVersion, os }: Omit<GroupingFields, 'metadata'>): Grouping {
  const isEmpty = toPrintable(message) === '';
  const { signature, notes } = makeSignature({ os: 'unknown', frames: null, message: redactUserPaths(message) });
  const build = `${toPrintable(appVersion) || 'unknown'} on ${toPrintable(os) || 'unknown'}`;
  return {
    key: keyOf('message', isEmpty ? '' : signature, appVersion, os),
    kind: 'message',
    title: isEmpty ? NO_TITLE : signature,
    reason: null,
    explanation: [
      `message: no stack; reports of version ${build} are grouped by their message`,
      ...(isEmpty ? ['message: empty'] : notes),
    ],
    functions: [],
  };
}

/** What decides about the group of a report besides its stack and its texts. */
export type OwnGrouping = {
  readonly kind: ReportKind;
  /** What the game says that the report belongs to; null if it doesn't. */
  readonly fingerprint: readonly string[] | null;
};

/**
 * The group of a report whose stack and texts have this one. Reports with one fingerprint share a group, and errors
 * that a game handled are never in a group with crashes.
 */
export function groupOfReport(grouping: Grouping, { kind, fingerprint }: OwnGrouping): Grouping {
  if (kind === 'crash' && fingerprint === null) return grouping;
  const notes = [
    ...(fingerprint === null ? [] : [`fingerprint: ${fingerprint.join(', ')}, chosen by the game`]),
    ...(kind === 'crash' ? [] : ['kind: an error that the game handled, so no crash is in this group']),
  ];
  const key = keyOfReport(Buffer.from(grouping.key).toString('hex'), { kind, fingerprint });
  return { ...grouping, key, explanation: [...grouping.explanation, ...notes] };
}

/** `usual` is the key, as hex, that a crash without a fingerprint has. */
export function keyOfReport(usual: string, { kind, fingerprint }: OwnGrouping): Uint8Array {
  const chosen =
    fingerprint === null ? Buffer.from(usual, 'hex') : hash('sha256', fingerprintKey(fingerprint, usual), 'buffer');
  return kind === 'crash' ? chosen : keyOf('error', chosen.toString('hex'));
}

/** The group of the reports of a group that have `name` on their stack, if that group was split. */
export function splitOff(grouping: Grouping, name: string): Grouping {
  return {
    ...grouping,
    key: keyOf('split', Buffer.from(grouping.key).toString('hex'), name),
    explanation: [...grouping.explanation, `split: reports with ${name} on their stack`],
  };
}

/** The title of groups and reports with neither a stack nor a message. */
export const NO_TITLE = 'No stack or message';

/** The thread that crashed; undefined if the dump does not say. */
export function crashedThread({ crash_info: crash, threads }: Pick<Report, 'crash_info' | 'threads'>) {
  return crash.crashing_thread === null ? undefined : threads[crash.crashing_thread];
}

/**
 * Chooses the frames for the signature: usually the reliable frames before the first guessed one. A guess is a word of
 * the stack that looks like a return address; it may be left over from an earlier call, and differs between players.
 * Guessed frames are used only if the reliable ones are not enough: if none of them has a name, all frames with a name
 * are used; if all of them are system code, the first guess in the game's own code is added. The latter happens when a
 * 32-bit game on Linux aborts: without symbols of libc, the last reliable frame is in the kernel's code or in libc.
 * Otherwise all crashes that end in a library of the system would be one group.
 */
function chooseFrames(frames: readonly Frame[], code: OwnCode): { frames: readonly Frame[]; note: string | null } {
  const firstGuess = frames.findIndex(({ trust }) => trust === 'scan');
  if (firstGuess < 0) return { frames, note: null };
  const reliable = frames.slice(0, firstGuess);
  const guessCount = frames.length - firstGuess;
  if (reliable.some((frame) => isNamed(frame, code) && !code.isSystem(frame)))
    return {
      frames: reliable,
      note: `frames: used ${reliable.length} reliable, ignored ${guessCount} guessed`,
    };
  const named = frames.filter((frame) => isNamed(frame, code));
  const ownNamedAt = frames.findIndex((frame) => isNamed(frame, code) && isOwn(frame, code));
  const ownAt = ownNamedAt >= 0 ? ownNamedAt : frames.findIndex((frame) => isOwn(frame, code));
  const isReliableNamed = reliable.some((frame) => isNamed(frame, code));
  if (named.length > 0 && !isReliableNamed && (ownAt < 0 || named.some((frame) => isOwn(frame, code))))
    return { frames: named, note: 'frames: no reliable frame has a name; used all frames with a name' };
  if (ownAt >= firstGuess) {
    const note = "frames: no reliable frame is in the game's code; added the first guessed frame that is";
    return { frames: [...reliable, frames[ownAt]!], note };
  }
  return {
    frames: reliable,
    note: `frames: ${isReliableNamed ? "no frame is in the game's code" : 'no frame has a name'}; used ${reliable.length} reliable`,
  };
}

function isNamed(frame: Frame, code: OwnCode): boolean {
  return code.of(frame).some(({ isNamed: hasName }) => hasName);
}

/** System code does not count as the game's own, even if the game ships it in its folder. */
function isOwn(frame: Frame, code: OwnCode): boolean {
  return !code.isSystem(frame) && code.of(frame).some(({ own }) => own);
}

function keyOf(...parts: readonly string[]): Uint8Array {
  return hash('sha256', JSON.stringify(parts), 'buffer');
}

/** The names of operating systems in reports, which decide how functions are named. */
const OSES: Readonly<Record<string, OsName>> = {
  'Windows NT': 'windows',
  'Mac OS X': 'macos',
  iOS: 'ios',
  Linux: 'linux',
  Android: 'android',
  Solaris: 'solaris',
  PS3: 'ps3',
  NaCl: 'nacl',
  Fuchsia: 'fuchsia',
};

export function osOfReport({ system_info: { os } }: Pick<Report, 'system_info'>): OsName {
  return Object.hasOwn(OSES, os) ? OSES[os]! : 'unknown';
}

/** This many functions are enough to find similar groups. */
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
 * The frames of the root cause. Those of exceptions that it led to follow if none of its own is in the game's code:
 * some runtimes record an exception only up to where it was caught. Of managed frames, only the game's count.
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
