// Names the browser and operating system of a User-Agent header.

/** The first match counts: most browsers also name the browsers they are compatible with. */
const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
];

const OSES: readonly [RegExp, string][] = [
  [/\bWindows\b/, 'Windows'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bLinux\b/, 'Linux'],
];

/** `Firefox on Linux`, or `Unknown browser on Linux`. */
export function formatBrowser(userAgent: string): string {
  const browser = firstMatch(BROWSERS, userAgent) ?? 'Unknown browser';
  const os = firstMatch(OSES, userAgent);
  return os === undefined ? browser : `${browser} on ${os}`;
}

function firstMatch(names: readonly [RegExp, string][], userAgent: string): string | undefined {
  return names.find(([pattern]) => pattern.test(userAgent))?.[1];
}
