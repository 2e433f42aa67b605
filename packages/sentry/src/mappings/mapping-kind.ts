// Recognizes scripts, source maps, and mappings of ProGuard, R8 and IL2CPP among other files, by their names and first
// bytes.

/** `script`: JavaScript as players run it. */
export const MAPPING_KINDS = ['script', 'source_map', 'proguard', 'il2cpp'] as const;
export type MappingKind = (typeof MAPPING_KINDS)[number];

/** Enough for `mappingKindOf`. */
const MAPPING_HEAD_BYTES = 4096;

/** The longest text of each kind that is read, in bytes. */
export const MAX_MAPPING_BYTES = 128 * 1024 * 1024;

/** Null for any other file. Content is only looked at where a name doesn't decide. */
export function mappingKindOf(name: string, head: Uint8Array): MappingKind | null {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1).toLowerCase();
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, MAPPING_HEAD_BYTES)).toString('latin1');
  if (start.includes('\0')) return null;
  const text = start.replace(/^\xef\xbb\xbf|^\)\]\}'[^\n]{0,200}\n/, '').trimStart();
  if (base.endsWith('.json') && base.includes('linenumbermappings')) return text.startsWith('{') ? 'il2cpp' : null;
  if (base.endsWith('.map') && text.startsWith('{')) return 'source_map';
  if (/\.(?:js|mjs|cjs|jsbundle|bundle)$/.test(base)) return 'script';
  if (!base.endsWith('.txt') && !base.endsWith('.map')) return null;
  return isProguard(start) ? 'proguard' : null;
}

/** Lines that ProGuard and R8 begin a mapping with: comments, and then a class. */
function isProguard(start: string): boolean {
  if (/^# (?:compiler|pg_map_id): /m.test(start) || /^# \{"id":"com\.android\.tools\.r8\./m.test(start)) return true;
  const first = start.split('\n').find((line) => line.trim() !== '' && !line.startsWith('#')) ?? '';
  return /^[^\s:()]{1,500} -> [^\s:()]{1,500}:\s*$/.test(first);
}
