// Recognizes files that are not Breakpad symbol files but are often sent as such, so that a refusal says what they are
// and what to do. Used by the command before an upload and by the server.

/** What a file is, as a clause, and what to do, as a sentence. */
export type ForeignFile = { readonly what: string; readonly remedy: string };

/** The bytes that `recognizeForeignFile` needs, unless the file is shorter. */
export const FOREIGN_FILE_BYTES = 4096;

const CREATE = 'Send it with chauffeur symbols, which converts it.';
const UNPACK = 'Unpack it, or send the .sym files in a .zip.';
const ENCODING =
  'Save it as UTF-8 without a byte order mark. In PowerShell, > changes the encoding; let the tool write the file itself.';

type Kind = ForeignFile & { readonly start: RegExp };

/** Kinds that are recognized by the first bytes in hex, separated by spaces. */
const BINARY_KINDS: readonly Kind[] = [
  { start: /^(?:ff fe|fe ff|4d 00 4f 00|00 4d 00 4f)/, what: 'it is encoded in UTF-16', remedy: ENCODING },
  { start: /^ef bb bf/, what: 'it begins with a byte order mark', remedy: ENCODING },
  { start: /^7f 45 4c 46/, what: 'it is an ELF program, library or debug file', remedy: CREATE },
  {
    start: /^(?:fe ed fa c[ef]|c[ef] fa ed fe|ca fe ba b[ef] 00 00 00 0[1-9a-f])/,
    what: 'it is a Mach-O program, library or dSYM',
    remedy: CREATE,
  },
  {
    start: /^00 61 73 6d/,
    what: 'it is a WebAssembly module, whose crash reports have their stack as text',
    remedy: 'Leave it out. chauffeur-dump-syms shows what is at an offset.',
  },
  { start: /^1f 8b/, what: 'it is compressed with gzip', remedy: UNPACK },
  { start: /^28 b5 2f fd/, what: 'it is compressed with zstd', remedy: UNPACK },
  { start: /^fd 37 7a 58 5a 00/, what: 'it is compressed with xz', remedy: UNPACK },
  { start: /^42 5a 68/, what: 'it is compressed with bzip2', remedy: UNPACK },
  { start: /^4d 53 43 46/, what: 'it is a cabinet archive', remedy: UNPACK },
  { start: /^37 7a bc af 27 1c/, what: 'it is a 7z archive', remedy: UNPACK },
  { start: /^50 4b (?:03 04|05 06)/, what: 'it is a .zip', remedy: 'Send it alone, with a name that ends in .zip.' },
];

/** Kinds that are recognized by the first bytes as Latin-1. */
const TEXT_KINDS: readonly Kind[] = [
  { start: /^Microsoft C\/C\+\+ /, what: 'it is a PDB', remedy: CREATE },
  { start: /^BSJB/, what: 'it is a portable PDB of .NET, which has no native code', remedy: 'Leave it out.' },
  { start: /^MZ/, what: 'it is a Windows program or DLL', remedy: CREATE },
  {
    start: /^!<(?:arch|thin)>\n/,
    what: 'it is a static library',
    remedy: 'Send the symbols of the program or library that it was linked into.',
  },
  {
    start: /^version https:\/\/git-lfs/,
    what: 'it is a pointer of Git LFS, not the file itself',
    remedy: 'Run git lfs pull, and send it again.',
  },
  {
    start: /^\s*<(?:!doctype html|html)/i,
    what: 'it is an HTML page',
    remedy: 'If you downloaded the symbols, download them again.',
  },
  {
    start: /^\s*<\?xml/i,
    what: 'it is an XML file',
    remedy: 'Send the program and its debug file with chauffeur symbols.',
  },
  {
    start: /^MODULE[ \t]+\S+[ \t]+\S+[ \t]+[0-9A-Fa-f]{32}(?:\s|$)/,
    what: 'its debug id has 32 digits, so the age at its end is missing',
    remedy: 'Create it again with a tool that writes the age, such as 0 on Linux, Android and macOS.',
  },
  {
    start: /^MODULE[ \t]+\S+[ \t]+\S+[ \t]+\{?[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-/,
    what: 'its debug id has hyphens',
    remedy: 'Create it again with a tool that writes 33 or more hexadecimal digits.',
  },
];

/** Enough for the longest start of a binary kind. */
const START_BYTES = 8;

const EMPTY: ForeignFile = { what: 'it is empty', remedy: 'Create it again.' };

/** Returns null for a symbol file, and for a file of an unknown kind. */
export function recognizeForeignFile(firstBytes: Uint8Array): ForeignFile | null {
  if (firstBytes.length === 0) return EMPTY;
  const start = Array.from(firstBytes.subarray(0, START_BYTES), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
  const text = String.fromCharCode(...firstBytes.subarray(0, FOREIGN_FILE_BYTES));
  return (
    BINARY_KINDS.find((kind) => kind.start.test(start)) ?? TEXT_KINDS.find((kind) => kind.start.test(text)) ?? null
  );
}
