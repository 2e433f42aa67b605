// Writes the loaded modules with the ids of their symbols, and the unloaded modules.
import type { CodeViewDescription, DumpDescription, ModuleDescription } from './description.ts';
import { writeList, writeSizedList } from './lists.ts';
import { NOWHERE, type Output, type Place } from './output.ts';

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
