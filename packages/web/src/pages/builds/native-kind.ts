// Says what kind of file a program or debug file is, by its name, before it is converted.

const KINDS: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/\.pdb$/i, 'PDB'],
  [/\.(?:exe|dll|sys|scr)$/i, 'Windows program or library'],
  [/\.dylib$/i, 'macOS library'],
  [/\.so(?:\.[\d.]+)?$/i, 'Linux or Android library'],
  [/\.(?:debug|dbg)$/i, 'Debug file'],
];

export function formatNativeKind(fileName: string): string {
  return KINDS.find(([pattern]) => pattern.test(fileName))?.[1] ?? 'Program or debug file';
}
