// Writes the streams that only Breakpad, Crashpad and Mozilla's writer add.
import type { CrashpadDescription, DumpDescription, LinuxDescription, MacDescription } from './description.ts';
import { NOWHERE, Output, type Place } from './output.ts';

export function writeBreakpad(output: Output, { breakpad }: DumpDescription): Place | undefined {
  if (breakpad === undefined) return undefined;
  const { dumpThreadId, requestingThreadId } = breakpad;
  const validity = (dumpThreadId === undefined ? 0 : 1) | (requestingThreadId === undefined ? 0 : 2);
  return output.put(() => output.u32(validity, dumpThreadId ?? 0, requestingThreadId ?? 0));
}

/** Writes three texts of 128 UTF-16 units, the line, and the kind. */
export function writeAssertion(output: Output, { assertion }: DumpDescription): Place | undefined {
  if (assertion === undefined) return undefined;
  return output.put(() => {
    for (const text of [assertion.expression, assertion.function, assertion.file]) output.utf16Field(text ?? '', 256);
    output.u32(assertion.line ?? 0, assertion.type ?? 0);
  });
}

export function writeSoftErrors(output: Output, { softErrors }: DumpDescription): Place | undefined {
  return softErrors === undefined ? undefined : output.putBytes(new TextEncoder().encode(softErrors));
}

const NO_ID = '0'.repeat(32);

export function writeCrashpad(output: Output, { crashpad }: DumpDescription): Place | undefined {
  if (crashpad === undefined) return undefined;
  const simple = writeDictionary(output, crashpad.simpleAnnotations);
  const modules = writeModuleLinks(output, crashpad.modules);
  return output.put(() => {
    output
      .u32(1)
      .guid(crashpad.reportId ?? NO_ID)
      .guid(crashpad.clientId ?? NO_ID);
    output.place(simple).place(modules);
  });
}

function writeDictionary(output: Output, pairs: Readonly<Record<string, string>> | undefined): Place {
  if (pairs === undefined) return NOWHERE;
  const rvas = Object.entries(pairs).map((pair) => pair.map((text) => output.putUtf8(text).rva));
  return output.put(() => output.u32(rvas.length, ...rvas.flat()));
}

function writeModuleLinks(output: Output, modules: CrashpadDescription['modules']): Place {
  if (modules === undefined) return NOWHERE;
  const links = modules.map((module) => ({ index: module.moduleIndex, place: writeModule(output, module) }));
  return output.put(() => {
    output.u32(links.length);
    for (const { index, place } of links) output.u32(index).place(place);
  });
}

function writeModule(output: Output, module: NonNullable<CrashpadDescription['modules']>[number]): Place {
  const texts = module.listAnnotations?.map((text) => output.putUtf8(text).rva);
  const list = texts === undefined ? NOWHERE : output.put(() => output.u32(texts.length, ...texts));
  const simple = writeDictionary(output, module.simpleAnnotations);
  const objects = module.annotationObjects?.map(({ name, type, value }) => ({
    type,
    name: output.putUtf8(name).rva,
    value: output.putUtf8(value).rva,
  }));
  const objectList =
    objects === undefined
      ? NOWHERE
      : output.put(() => {
          output.u32(objects.length);
          for (const { name, type, value } of objects) output.u32(name).u16(type, 0).u32(value);
        });
  return output.put(() => output.u32(1).place(list).place(simple).place(objectList));
}

// The texts from Linux's /proc.

/** Returns a function that writes one of the texts in the description. */
export function writeLinux(part: keyof LinuxDescription) {
  return (output: Output, { linux }: DumpDescription): Place | undefined => {
    const content = linux?.[part];
    if (content === undefined) return undefined;
    if (typeof content === 'string') return output.put(() => output.raw(new TextEncoder().encode(content)));
    return output.put(() => output.raw('wordSize' in content ? auxv(output, content) : nulList(content)));
  };
}

function nulList(texts: readonly string[]): Uint8Array {
  return new TextEncoder().encode(texts.map((text) => `${text}\0`).join(''));
}

/** The kernel ends the vector with a pair of zeros. */
function auxv({ endian }: Output, { wordSize, values }: NonNullable<LinuxDescription['auxv']>): Uint8Array {
  const output = new Output(endian);
  for (const word of [...values, [0, 0n] as const].flat()) {
    if (wordSize === 8) output.u64(word);
    else output.u32(Number(word));
  }
  return output.bytes;
}

// The macOS streams of Mozilla's writer: the boot arguments, and the crash messages of system libraries.

const BOOT_ARGS_STREAM = 0x4d7a0002;
const CRASH_INFO_STREAM = 0x4d7a0001;
const RECORD_ROOM = 20;

export function writeMacBootArgs(output: Output, { mac }: DumpDescription): Place | undefined {
  const { bootArgs } = mac ?? {};
  if (bootArgs === undefined) return undefined;
  const text = output.putUtf16(bootArgs);
  return output.put(() => output.u32(BOOT_ARGS_STREAM).u64(text.rva));
}

/** All records have the fixed size of version 5: stream type, version, and three 64-bit numbers. */
const FIXED_SIZE = 40;

export function writeMacCrashInfo(output: Output, { mac }: DumpDescription): Place | undefined {
  const places = mac?.crashInfo?.map((record) => writeRecord(output, record));
  if (places === undefined) return undefined;
  return output.put(() => {
    output.u32(CRASH_INFO_STREAM, places.length, FIXED_SIZE);
    for (const place of places) output.place(place);
    output.zeros(8 * (RECORD_ROOM - places.length));
  });
}

function writeRecord(output: Output, record: NonNullable<MacDescription['crashInfo']>[number]): Place {
  const { version, numbers = [], texts = [] } = record;
  return output.put((part) => {
    const end = part.size + FIXED_SIZE;
    part.u64(CRASH_INFO_STREAM, version, ...numbers);
    part.zeros(end - part.size).raw(new TextEncoder().encode(texts.map((text) => `${text}\0`).join('')));
  });
}
