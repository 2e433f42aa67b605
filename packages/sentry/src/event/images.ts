// Reads the list of binaries and source maps that the code of an event is from.
import { addressOf, codeIdOf, debugIdOf, debugIdOfBuildId } from '../ids.ts';
import { redactAddress, redactText } from '../privacy.ts';
import { countOf, fieldOf, isFields, lineOf } from '../values.ts';
import type { SentryImage } from './event.ts';

export const MAX_IMAGES = 4000;

/** Old names of the kinds, and `symbolic`, which doesn't say which of the three it is. */
const ALIASES = new Map([
  ['apple', 'macho'],
  ['symbolic', 'elf'],
  ['jvm', 'proguard'],
]);

export function imagesOf(debugMeta: unknown): SentryImage[] {
  const images = fieldOf(debugMeta, 'images');
  if (!Array.isArray(images)) return [];
  // Frames name an image by its place in the list, so none is left out before the end.
  return images.slice(0, MAX_IMAGES).map((image: unknown) => imageOf(isFields(image) ? image : {}));
}

function imageOf(image: Readonly<Record<string, unknown>>): SentryImage {
  const sentType = lineOf(image.type, 32).toLowerCase();
  const file = lineOf(image.code_file ?? image.name, 512);
  const type = sentType === 'symbolic' ? typeOfFile(file) : (ALIASES.get(sentType) ?? sentType);
  const sentDebugId = debugIdOf(image.debug_id) ?? debugIdOf(image.uuid) ?? debugIdOf(image.id);
  const sentCodeId = codeIdOf(image.code_id);
  const { debugId, codeId } =
    type === 'wasm'
      ? wasmIds(sentDebugId, sentCodeId)
      : {
          debugId: sentDebugId ?? (type === 'elf' && sentCodeId !== null ? debugIdOfBuildId(sentCodeId) : null),
          codeId: sentCodeId,
        };
  return {
    type,
    file: type === 'sourcemap' ? redactAddress(file) : redactText(file),
    debugFile: redactText(lineOf(image.debug_file, 512)),
    debugId,
    codeId,
    address: addressOf(image.image_addr),
    size: countOf(image.image_size),
    arch: lineOf(image.arch, 32).toLowerCase(),
  };
}

/**
 * The code id of a WebAssembly module is the content of its section `build_id`: linkers write the length of the id first,
 * and other tools don't. The SDK makes a debug id of the first bytes without changing their order, as Breakpad would.
 */
function wasmIds(debugId: string | null, section: string | null): Pick<SentryImage, 'debugId' | 'codeId'> {
  const length = Number.parseInt(section?.slice(0, 2) ?? '', 16);
  const hasLength = section !== null && section.length === 2 + 2 * length && section.length !== 32;
  const codeId = hasLength ? section.slice(2) : section;
  if (codeId === null) return { debugId, codeId: debugId === null ? null : debugId.slice(0, 32).toLowerCase() };
  return { debugId: debugIdOfBuildId(codeId) ?? debugId, codeId };
}

/** Rust sends one kind for all systems. */
function typeOfFile(file: string): string {
  if (/\.(?:exe|dll)$/i.test(file)) return 'pe';
  return /\.dylib$|\.(?:app|framework)\/|^\/(?:System|Library|Applications|Users)\//.test(file) ? 'macho' : 'elf';
}
