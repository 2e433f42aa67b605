// Reads the names that programs give to their releases: `thegame@1.2.0+42`, `com.example.game@1.2.0`, or a version alone.

export type Release = {
  /** The name of the program or its package; empty if the release doesn't say. */
  readonly app: string;
  /** Versions of builds that it may be, the likeliest first: without the number of the build, and with it. */
  readonly versions: readonly string[];
};

/** Builds of one version differ in `dist`, so it may be a part of the version. */
export function readRelease(release: string, dist = ''): Release {
  const text = release.trim();
  if (text === '') return { app: '', versions: [] };
  const at = text.lastIndexOf('@');
  const whole = at < 0 ? text : text.slice(at + 1);
  const bare = whole.replace(/\+[^+]*$/, '');
  const withDist = dist === '' ? [] : [`${bare}+${dist}`, `${bare}-${dist}`, `${bare}.${dist}`];
  // A game may have registered the whole name as its version.
  const versions = [whole, ...withDist, bare, ...(at < 0 ? [] : [text])].filter((version) => version !== '');
  // Some programs write `v1.2.0` in one place and `1.2.0` in the other.
  const other = versions.map((version) => (/^v\d/i.test(version) ? version.slice(1) : `v${version}`));
  return { app: at < 0 ? '' : text.slice(0, at), versions: [...new Set([...versions, ...other])] };
}

/** A build id that a program sends as its release or in a tag, in lower case; null if the text isn't one. */
export function buildIdOf(text: string): string | null {
  const id = text.trim().slice(text.lastIndexOf('@') + 1);
  return /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(id) ? id.toLowerCase() : null;
}
