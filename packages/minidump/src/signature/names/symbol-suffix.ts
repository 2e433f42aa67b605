// Removes the suffixes that compilers, linkers and C libraries append to a symbol and that differ between builds.

const SUFFIXES: readonly RegExp[] = [
  // Function parts that GCC or Clang split off, and clones for constant arguments: `draw.cold`, `draw.isra.0.part.3`.
  /(?:\.(?:cold|isra|part|constprop|lto_priv|llvm|localalias|resume|destroy|cleanup|__uniq)(?:\.\d+)*)+$/,
  // A symbol version of the C library: `memcpy@@GLIBC_2.14`. A jump to a function in another module: `memcpy@plt`.
  /@+(?:plt|[A-Z][A-Z_]*_[\d.]+)$/,
  // The size of the arguments on 32-bit Windows: `_WinMain@16`.
  /(?<=\w)@\d{1,3}$/,
  // il2cpp's hash of the method, `Player_Update_m0123…` (40 digits), and `_gshared` for code shared by generics.
  /_m[0-9A-F]{40}(?:_gshared(?:_inline)?|_inline)?$/,
];

/** Characters to search: longer than any suffix, but short enough for the patterns to be fast on any text. */
const TAIL = 128;

/** `draw.constprop.0` becomes `draw`. Other names are returned unchanged. */
export function dropSymbolSuffix(name: string): string {
  const tail = name.slice(-TAIL);
  const kept = SUFFIXES.reduce((text, suffix) => text.replace(suffix, ''), tail);
  return kept === tail ? name : name.slice(0, name.length - tail.length) + kept;
}
