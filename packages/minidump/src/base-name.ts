// The last part of a path. Dumps and symbols from Windows are also read on Linux, so both separators count.

export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}
