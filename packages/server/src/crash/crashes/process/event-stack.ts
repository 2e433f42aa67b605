// Looks up the functions of native frames that a client sent as addresses with a list of images, without a dump. The
// result has the form of a walked dump, so that it is stored, shown, grouped and looked up again like one: a crash in
// one function has one group, whether its dump was sent or not.
import { baseName } from '@chauffeur/minidump/base-name';
import { toHex } from '@chauffeur/minidump/describe';
import { MinidumpError } from '@chauffeur/minidump/error';
import type { WalkedReport } from '@chauffeur/minidump/process';
import type { Frame, Hex, ModuleReport, Thread, Trust } from '@chauffeur/minidump/report';
import type { ModuleId, ModuleSymbols, SymbolSource } from '@chauffeur/minidump/symbols/module-symbols';
import type { SentryImage, SentryThread, Stack, StoredEvent } from '@chauffeur/sentry/event/event';
import { mainStack } from '@chauffeur/sentry/event/normalize';
import { ImageMap, type NativeFrame, nativeFrames } from '@chauffeur/sentry/native-stack';

/** The names that dumps have for systems. */
const SYSTEMS: Readonly<Record<string, string>> = {
  windows: 'Windows NT',
  macos: 'Mac OS X',
  ios: 'iOS',
  linux: 'Linux',
  android: 'Android',
};
const TRUSTS: Readonly<Record<string, Trust>> = { context: 'context', cfi: 'cfi', fp: 'frame_pointer', scan: 'scan' };

/** The modules whose symbols a lookup needs: all that frames are in, each once. */
export function modulesOfEvent(event: StoredEvent): ModuleId[] {
  const images = new ImageMap(event.images);
  const found = stacksOf(event).flatMap(({ stack }) =>
    nativeFrames(stack, images, { isCrashed: false }).flatMap(({ image }) => image ?? []),
  );
  return [...new Set(found)].map(moduleIdOf);
}

/** The stacks of an event with all functions that `symbols` know. */
export function walkEvent(event: StoredEvent, symbols: SymbolSource): WalkedReport {
  const lookup = new Lookup(symbols);
  const images = new ImageMap(event.images);
  const threads = stacksOf(event).map(({ id, name, stack, isCrashed }, index) => ({
    isCrashed,
    thread: threadOf(
      { id: /^\d{1,9}$/.test(id) ? Number(id) : index, name },
      nativeFrames(stack, images, { isCrashed: isCrashed && isInterrupted(event) }).map((frame, number) =>
        frameOf(frame, number, lookup, stack),
      ),
      stack,
    ),
  }));
  const crashed = threads.findIndex(({ isCrashed }) => isCrashed);
  const [thrown] = event.exceptions;
  return {
    schema: 1,
    time: new Date(event.occurredAt ?? 0).toISOString(),
    pid: null,
    process_uptime: null,
    system_info: systemOf(event),
    crash_info: {
      type: thrown === undefined ? null : thrown.signal?.name || thrown.type || null,
      address: null,
      crashing_thread: crashed < 0 ? null : crashed,
      assertion: null,
    },
    // Clients list the executable first.
    main_module: event.images.length === 0 ? null : 0,
    modules: event.images.map((image) => lookup.describe(image)),
    unloaded_modules: [],
    threads: threads.map(({ thread }) => thread),
    crashpad: null,
    mac_crash_info: [],
    lsb_release: null,
    handle_count: null,
    memory_map_count: null,
    warnings: [],
  };
}

/**
 * Whether the program was interrupted in the innermost frame, as by a signal. A stack that a program takes of itself, as
 * for a panic, has only addresses to return to.
 */
function isInterrupted({ exceptions: [thrown] }: StoredEvent): boolean {
  return thrown !== undefined && (thrown.signal !== null || /^(?:signal|mach|seh|minidump)/i.test(thrown.mechanism));
}

type EventStack = Pick<SentryThread, 'id' | 'name' | 'stack' | 'isCrashed'>;

/** The threads; the stack of the crash replaces what was sent of its thread. */
function stacksOf(event: StoredEvent): EventStack[] {
  const [thrown] = event.exceptions;
  const stack = mainStack(event);
  const at = event.threads.findIndex(
    (thread) =>
      thread.stack === stack || (thrown !== undefined && thrown.threadId !== '' && thread.id === thrown.threadId),
  );
  const isOfCrash = at < 0 ? event.threads.findIndex(({ isCrashed }) => isCrashed) : at;
  if (stack.frames.length === 0) return event.threads.map((thread) => ({ ...thread, isCrashed: false }));
  const crash = { id: thrown?.threadId ?? '', name: event.threads[isOfCrash]?.name ?? '', stack, isCrashed: true };
  const others = event.threads.filter((_, index) => index !== isOfCrash);
  return [crash, ...others.map((thread) => ({ ...thread, isCrashed: false }))];
}

function threadOf(
  { id, name }: { readonly id: number; readonly name: string },
  frames: readonly Frame[],
  { moreFrames }: Stack,
): Thread {
  return {
    thread_id: id,
    thread_name: name || null,
    last_error_value: null,
    frame_count: frames.length + moreFrames,
    frames,
    truncated: moreFrames > 0 ? 'frames' : null,
    // Clients send no memory.
    stack: null,
  };
}

function frameOf(native: NativeFrame, number: number, lookup: Lookup, { registers }: Stack): Frame {
  const { frame: sent, image, address, offset } = native;
  const symbols = image === null ? undefined : lookup.symbolsOf(image);
  const place = offset === null ? undefined : symbols?.placeAt(Number(offset));
  const isNamed = place?.function !== undefined;
  const module = image === null ? sent.package : image.file;
  return {
    frame: number,
    trust: TRUSTS[sent.trust] ?? (number === 0 ? 'context' : 'cfi'),
    offset: hex(address),
    return_address: hex(address),
    module: module === '' ? null : baseName(module),
    module_offset: offset === null ? null : hex(offset),
    // What the client says is a guess from exported names, but better than nothing.
    function: place?.function ?? (sent.function || null),
    function_offset: isNamed && offset !== null ? hex(offset - BigInt(place.functionStart)) : null,
    file: place === undefined ? sent.file || null : (place.file ?? null),
    line: place === undefined ? sent.line : (place.line ?? null),
    line_offset: place?.lineStart === undefined || offset === null ? null : Number(offset) - place.lineStart,
    inlines: (place?.inlines ?? []).map(({ function: name, file, line }) => ({
      function: name,
      file: file ?? null,
      line: line ?? null,
    })),
    ...(place?.hasMoreInlines && { inlines_truncated: true as const }),
    missing_symbols: symbols === undefined,
    unloaded_modules: [],
    registers: number === 0 ? Object.fromEntries(registers.map(([name, value]) => [name, value as Hex])) : {},
  };
}

/** Addresses are compared as texts, so all have the same length. */
function hex(value: bigint | null): Hex {
  return toHex(value === null || value < 0n ? 0n : value, 8);
}

export function moduleIdOf(image: SentryImage): ModuleId {
  return {
    debugFile: image.debugFile || image.file,
    debugId: image.debugId ?? '',
    codeFile: image.file,
    codeId: image.codeId ?? '',
  };
}

type Outcome = { readonly symbols: ModuleSymbols | undefined; readonly problem: string | null };

/** Asks for the symbols of each image once. */
class Lookup {
  readonly #source: SymbolSource;
  readonly #outcomes = new Map<SentryImage, Outcome>();

  constructor(source: SymbolSource) {
    this.#source = source;
  }

  symbolsOf(image: SentryImage): ModuleSymbols | undefined {
    const outcome = this.#outcomes.get(image) ?? this.#find(image);
    this.#outcomes.set(image, outcome);
    return outcome.symbols;
  }

  describe(image: SentryImage): ModuleReport {
    const outcome = this.#outcomes.get(image);
    const { debugFile, debugId, codeFile, codeId } = moduleIdOf(image);
    const start = image.address ?? 0n;
    return {
      base_addr: hex(start),
      end_addr: hex(start + BigInt(image.size ?? 0)),
      filename: baseName(codeFile),
      code_file: codeFile,
      code_id: codeId,
      debug_file: baseName(debugFile),
      debug_id: debugId,
      version: null,
      symbols: stateOf(outcome),
      symbol_problem: outcome?.problem ?? null,
    };
  }

  #find(image: SentryImage): Outcome {
    try {
      return { symbols: this.#source.find(moduleIdOf(image)), problem: null };
    } catch (error) {
      if (!(error instanceof MinidumpError)) throw error;
      return { symbols: undefined, problem: error.message };
    }
  }
}

function stateOf(outcome: Outcome | undefined): ModuleReport['symbols'] {
  if (outcome === undefined) return 'not_needed';
  if (outcome.problem !== null) return 'corrupt';
  return outcome.symbols === undefined ? 'missing' : 'loaded';
}

function systemOf({ system }: StoredEvent): WalkedReport['system_info'] {
  const fact = (name: string) => system.facts.find(([key]) => key === name)?.[1];
  const cores = Number(fact('cores') ?? 0);
  return {
    os: SYSTEMS[system.os] ?? '',
    os_ver: fact('os_version')?.replace(/^[A-Za-z ]+(?=\d)/, '') ?? '',
    cpu_arch: system.arch === 'x86_64' ? 'amd64' : system.arch,
    cpu_info: fact('cpu_model') ?? null,
    cpu_count: Number.isInteger(cores) && cores > 0 ? cores : 0,
  };
}
