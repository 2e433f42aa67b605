// Writes the streams that most dumps have: threads, modules, memory, the system, and the two kinds of lists in them.
import type { CodeViewDescription, DumpDescription, MiscDescription, ModuleDescription } from './description.ts';
import { NOWHERE, Output, type Place } from './output.ts';

/** Writes a count and the entries, with 4 bytes of padding between them if `paddedLists` is set. */
export function writeList<T>(
  output: Output,
  { paddedLists = false }: DumpDescription,
  items: readonly T[],
  writeItem: (item: T) => unknown,
): Place {
  return output.put(() => {
    output.u32(items.length);
    if (paddedLists) output.u32(0xdeadbeef);
    for (const item of items) writeItem(item);
  });
}

/** Writes the sizes of the header and an entry, the count, reserved bytes, and the entries. */
export function writeSizedList<T>(
  output: Output,
  {
    entrySize,
    countSize,
    reserved,
  }: { readonly entrySize: number; readonly countSize: 4 | 8; readonly reserved: 0 | 4 },
  items: readonly T[],
  writeItem: (item: T) => unknown,
): Place {
  return output.put(() => {
    output.u32(8 + countSize + reserved, entrySize);
    if (countSize === 8) output.u64(items.length);
    else output.u32(items.length);
    output.zeros(reserved);
    for (const item of items) writeItem(item);
  });
}

export function writeThreads(output: Output, description: DumpDescription): Place | undefined {
  const places = description.threads?.map((thread) => ({
    thread,
    stack: output.putBytes(thread.stack?.bytes),
    context: output.putBytes(thread.context),
  }));
  if (places === undefined) return undefined;
  return writeList(output, description, places, ({ thread, stack, context }) => {
    const { id, suspendCount = 0, priorityClass = 0, priority = 0, teb = 0n } = thread;
    output.u32(id, suspendCount, priorityClass, priority).u64(teb);
    output.u64(thread.stack?.start ?? 0n).place(stack);
    output.place(context);
  });
}

export function writeThreadNames(output: Output, description: DumpDescription): Place | undefined {
  const places = description.threadNames?.map(({ id, name }) => ({ id, rva: output.putUtf16(name).rva }));
  if (places === undefined) return undefined;
  return writeList(output, description, places, ({ id, rva }) => output.u32(id).u64(rva));
}

export function writeThreadInfo(output: Output, { threadInfo }: DumpDescription): Place | undefined {
  if (threadInfo === undefined) return undefined;
  return writeSizedList(output, { entrySize: 64, countSize: 4, reserved: 0 }, threadInfo, (thread) => {
    output.u32(thread.threadId, thread.dumpFlags ?? 0, 0, thread.exitStatus ?? 259);
    // Creation time, exit time, kernel time, user time; then start address and affinity.
    output.u64(thread.createTime ?? 0n, 0n, 0n, 0n).u64(thread.startAddress ?? 0n, 1n);
  });
}

const PARAMETER_ROOM = 15;

export function writeException(output: Output, { exception }: DumpDescription): Place | undefined {
  if (exception === undefined) return undefined;
  const { threadId, code, flags = 0, nested = 0n, address = 0n, parameters = [] } = exception;
  const context = output.putBytes(exception.context);
  return output.put(() => {
    output.u32(threadId, 0, code, flags).u64(nested, address);
    output.u32(exception.parameterCount ?? parameters.length, 0);
    output.u64(...parameters).zeros(8 * (PARAMETER_ROOM - parameters.length));
    output.place(context);
  });
}

// The loaded modules with the ids of their symbols, and the unloaded modules.

export function writeModules(output: Output, description: DumpDescription): Place | undefined {
  const places = description.modules?.map((module) => ({
    module,
    name: module.name === undefined ? NOWHERE : output.putUtf16(module.name),
    codeView: module.codeView === undefined ? NOWHERE : writeCodeView(output, module.codeView),
  }));
  if (places === undefined) return undefined;
  return writeList(output, description, places, ({ module, name, codeView }) => {
    const { base, size, checksum = 0, timestamp = 0 } = module;
    output.u64(base).u32(size, checksum, timestamp, name.rva);
    writeVersion(output, module);
    // The miscellaneous record, which is obsolete, and 16 reserved bytes.
    output.place(codeView).place(NOWHERE).zeros(16);
  });
}

/** Writes `VS_FIXEDFILEINFO`: 13 fields of 32 bits, all zero without a version. */
function writeVersion(output: Output, { version }: ModuleDescription): void {
  if (version === undefined) output.zeros(52);
  else output.u32(0xfeef04bd, 0x00010000, ...version).zeros(28);
}

function writeCodeView(output: Output, codeView: CodeViewDescription): Place {
  const { kind } = codeView;
  if (kind === 'raw') return output.putBytes(codeView.bytes);
  return output.put(() => {
    // The first field is a number that contains four letters in little-endian order: RSDS, NB10 or LEpB.
    if (kind === 'pdb70') output.u32(0x53445352).guid(codeView.guid).u32(codeView.age).raw(cString(codeView.file));
    else if (kind === 'elf') output.u32(0x4270454c).raw(Uint8Array.fromHex(codeView.buildId));
    else output.u32(0x3031424e, 0, codeView.signature, codeView.age).raw(cString(codeView.file));
  });
}

function cString(text: string): Uint8Array {
  return new TextEncoder().encode(`${text}\0`);
}

export function writeUnloadedModules(output: Output, { unloadedModules }: DumpDescription): Place | undefined {
  const places = unloadedModules?.map((module) => ({ module, name: output.putUtf16(module.name) }));
  if (places === undefined) return undefined;
  return writeSizedList(output, { entrySize: 24, countSize: 4, reserved: 0 }, places, ({ module, name }) => {
    output.u64(module.base).u32(module.size, module.checksum ?? 0, module.timestamp ?? 0, name.rva);
  });
}

// The memory lists and the list of memory regions.

export function writeMemory(output: Output, description: DumpDescription): Place | undefined {
  const places = description.memory?.map(({ start, bytes }) => ({ start, place: output.putBytes(bytes) }));
  if (places === undefined) return undefined;
  return writeList(output, description, places, ({ start, place }) => output.u64(start).place(place));
}

/** The list has one position, at which the regions follow each other without gaps. */
export function writeMemory64(output: Output, { memory64 }: DumpDescription): Place | undefined {
  if (memory64 === undefined) return undefined;
  const stream = output.put(() => {
    output.u64(memory64.length, output.size + 16 + 16 * memory64.length);
    for (const { start, bytes } of memory64) output.u64(start, bytes.length);
  });
  for (const { bytes } of memory64) output.raw(bytes);
  return stream;
}

export function writeMemoryInfo(output: Output, { memoryInfo }: DumpDescription): Place | undefined {
  if (memoryInfo === undefined) return undefined;
  return writeSizedList(output, { entrySize: 48, countSize: 8, reserved: 0 }, memoryInfo, (region) => {
    output.u64(region.base, region.allocationBase ?? region.base).u32(region.allocationProtection ?? 0, 0);
    output.u64(region.size).u32(region.state ?? 0x1000, region.protection ?? 0x04, region.type ?? 0x20000, 0);
  });
}

// The streams about the operating system, the process and its handles.

export function writeSystem(output: Output, { system }: DumpDescription): Place | undefined {
  if (system === undefined) return undefined;
  const { processorArchitecture = 9, level = 0, revision = 0, cpuCount = 1, platformId = 0x8201 } = system;
  const servicePack = output.putUtf16(system.servicePack ?? '');
  return output.put(() => {
    output.u16(processorArchitecture, level, revision).u8(cpuCount).u8(0);
    output.u32(...(system.version ?? [0, 0, 0]), platformId, servicePack.rva).u16(0, 0);
    output.raw(system.cpu ?? new Uint8Array(24));
  });
}

const MISC_SIZE = 1364;

/** Older versions are the first bytes of the latest one. */
export function writeMisc(output: Output, { misc }: DumpDescription): Place | undefined {
  if (misc === undefined) return undefined;
  const whole = new Output(output.endian);
  const { processTimes, processorPower, timeZone } = misc;
  whole.u32(misc.size ?? MISC_SIZE, miscFlags(misc), misc.processId ?? 0);
  whole.u32(processTimes?.create ?? 0, processTimes?.user ?? 0, processTimes?.kernel ?? 0);
  whole.u32(...(processorPower ?? [0, 0, 0, 0, 0]));
  whole.u32(misc.integrityLevel ?? 0, misc.executeFlags ?? 0, misc.protectedProcess ? 1 : 0);
  // Each name is followed by a date of 16 bytes and an additional bias.
  whole.u32(timeZone?.id ?? 0, timeZone?.bias ?? 0);
  whole
    .utf16Field(timeZone?.standard ?? '', 64)
    .zeros(16)
    .u32(0);
  whole
    .utf16Field(timeZone?.daylight ?? '', 64)
    .zeros(16)
    .u32(-60);
  whole.utf16Field(misc.buildString ?? '', 520).utf16Field(misc.debugBuildString ?? '', 80);
  // The locations of the parts of an extended context.
  whole.zeros(528).u32(misc.processCookie ?? 0);
  return output.putBytes(whole.bytes.subarray(0, misc.size ?? MISC_SIZE));
}

function miscFlags(misc: MiscDescription): number {
  const flags: readonly (readonly [unknown, number])[] = [
    [misc.processId, 0x1],
    [misc.processTimes, 0x2],
    [misc.processorPower, 0x4],
    [misc.integrityLevel, 0x10],
    [misc.executeFlags, 0x20],
    [misc.timeZone, 0x40],
    [misc.protectedProcess, 0x80],
    [misc.buildString ?? misc.debugBuildString, 0x100],
    [misc.processCookie, 0x200],
  ];
  return flags.reduce((sum, [value, flag]) => (value === undefined ? sum : sum | flag), 0);
}

/** Writes the second version of the descriptor, as newer versions of Windows do. */
export function writeHandles(output: Output, { handles }: DumpDescription): Place | undefined {
  const putName = (name: string | undefined) => (name === undefined ? NOWHERE : output.putUtf16(name));
  const places = handles?.map((handle) => ({
    handle,
    type: putName(handle.typeName),
    object: putName(handle.objectName),
  }));
  if (places === undefined) return undefined;
  return writeSizedList(output, { entrySize: 40, countSize: 4, reserved: 4 }, places, ({ handle, type, object }) => {
    output.u64(handle.handle).u32(type.rva, object.rva, handle.attributes ?? 0, handle.grantedAccess ?? 0);
    output.u32(handle.handleCount ?? 1, handle.pointerCount ?? 1, 0, 0);
  });
}
