// Decides which line of the source code a crash group is shown with.

export type LocatedFrame = { readonly function: string | null; readonly file: string; readonly line: number | null };

/**
 * The place of the innermost function that the signature names, or else of the first frame, as `layout.cc:88`. `frames`
 * are those with a source file, the innermost first. A signature names functions without their parameters:
 * `raise | render::measure`.
 */
export function findCulprit(frames: readonly LocatedFrame[], signature: string): string | null {
  const names = signature.split(' | ');
  const isNamed = ({ function: name }: LocatedFrame) =>
    name !== null && names.some((each) => name === each || name.startsWith(`${each}(`));
  const frame = frames.find(isNamed) ?? frames[0];
  if (frame === undefined) return null;
  const file = frame.file.split(/[\\/]/).at(-1) || frame.file;
  return frame.line === null ? file : `${file}:${frame.line}`;
}
