// Writes the streams that only Breakpad, Crashpad and Mozilla's writer add.
import type { CrashpadDescription, DumpDescription } from './description.ts';
import { NOWHERE, type Output, type Place } from './output.ts';

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
