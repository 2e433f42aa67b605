// Writes the streams about the operating system, the process and its handles.
import type { DumpDescription, MiscDescription } from './description.ts';
import { writeSizedList } from './lists.ts';
import { NOWHERE, Output, type Place } from './output.ts';

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
