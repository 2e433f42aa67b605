// Recognizes files that sentry-cli uploads and that nothing here uses, so that none is accepted in vain.

type Kind = { readonly isKind: (head: Buffer) => boolean; readonly reason: string };

const startsWith = (text: string) => (head: Buffer) => head.subarray(0, text.length).toString('latin1') === text;

/** The first bytes of each kind. */
const UNUSED: readonly Kind[] = [
  {
    isKind: startsWith('SYSB'),
    reason:
      'Source bundles are not used: stacks link to your repository instead, see Settings, Source code. Upload without --include-sources.',
  },
  {
    isKind: startsWith('BSJB'),
    reason: 'Portable PDBs are not used: .NET reports the lines of managed code itself.',
  },
  {
    isKind: startsWith('BCSymbolMap'),
    reason: 'BCSymbolMaps are not used. Upload dSYMs whose symbols are not hidden.',
  },
  {
    isKind: (head) =>
      startsWith('bplist')(head) || /^\s*<\?xml[\s\S]{0,400}<(?:!DOCTYPE )?plist/i.test(head.toString('latin1')),
    reason: 'Property lists are not used. Upload dSYMs whose symbols are not hidden.',
  },
];

/** Why nothing is made of the file; null if it may be used. */
export function unusedReasonOf(head: Buffer): string | null {
  return UNUSED.find(({ isKind }) => isKind(head))?.reason ?? null;
}
