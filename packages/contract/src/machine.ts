// What a browser reveals about a machine: picks the download that fits it, and names the browser and its system.
import type { Platform } from './identity.ts';

/** What the browser reveals about the machine. Only Chromium has hints (W3C User-Agent Client Hints). */
export type BrowserFacts = {
  readonly userAgent: string;
  readonly touchPoints: number;
  readonly hints?: { readonly platform?: string; readonly architecture?: string; readonly bitness?: string };
};

export type Machine = { readonly os: string | null; readonly arch: string | null };

/** The first match counts: an Android phone also says Linux. */
const OS_PATTERNS: readonly { os: string | null; pattern: RegExp }[] = [
  // ChromeOS can't start a game from a Linux zip.
  { os: null, pattern: /CrOS|Chrome OS/ },
  { os: 'android', pattern: /Android/ },
  { os: 'ios', pattern: /iPhone|iPad|iPod|\biOS\b/ },
  { os: 'windows', pattern: /Windows/ },
  { os: 'macos', pattern: /Macintosh|macOS/ },
  { os: 'linux', pattern: /Linux|X11/ },
];

/** The architecture is null where browsers don't reveal it: Safari and Firefox report every Mac as Intel and every Windows as x64. */
export function readMachine({ userAgent, touchPoints, hints = {} }: BrowserFacts): Machine {
  const source = hints.platform || userAgent;
  const reported = OS_PATTERNS.find(({ pattern }) => pattern.test(source))?.os ?? null;
  // An iPad identifies as a Mac, but no Mac has a touch screen.
  const os = reported === 'macos' && touchPoints > 1 ? 'ios' : reported;
  return { os, arch: archOfHints(hints) ?? (os === 'linux' ? archOfUserAgent(userAgent) : null) };
}

function archOfHints({ architecture, bitness }: NonNullable<BrowserFacts['hints']>): string | null {
  if (architecture === 'arm') return bitness === '32' ? 'arm' : 'arm64';
  if (architecture === 'x86') return bitness === '32' ? 'x86' : 'x86_64';
  return null;
}

function archOfUserAgent(userAgent: string): string | null {
  if (/aarch64|arm64/.test(userAgent)) return 'arm64';
  if (/x86_64|amd64/.test(userAgent)) return 'x86_64';
  return /i[3-6]86/.test(userAgent) ? 'x86' : null;
}

/**
 * The architectures that each OS runs, best first, by the machine's own architecture. Apple silicon and Windows on ARM also run Intel code.
 */
const RUNNABLE: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  windows: {
    x86_64: ['x86_64', 'universal', 'x86'],
    x86: ['x86', 'universal'],
    arm64: ['arm64', 'universal', 'x86_64', 'x86', 'arm'],
    unknown: ['x86_64', 'universal', 'x86', 'arm64'],
  },
  macos: {
    x86_64: ['x86_64', 'universal'],
    arm64: ['arm64', 'universal', 'x86_64'],
    unknown: ['universal', 'arm64', 'x86_64'],
  },
  linux: {
    x86_64: ['x86_64', 'universal', 'x86'],
    x86: ['x86', 'universal'],
    arm64: ['arm64', 'universal', 'arm', 'arm32'],
    arm: ['arm', 'arm32', 'universal'],
    unknown: ['x86_64', 'universal', 'x86', 'arm64'],
  },
  android: { unknown: ['universal', 'arm64', 'arm', 'arm32', 'x86_64', 'x86'] },
  ios: { unknown: ['universal', 'arm64', 'arm'] },
};

export type Choice<Offer> = {
  readonly best: Offer | null;
  readonly others: readonly Offer[];
  /** False if another download for this OS may be the right one. */
  readonly isSure: boolean;
};

/** The download for this machine, and the others, those for its OS first. */
export function chooseDownload<Offer extends Platform>(offers: readonly Offer[], machine: Machine): Choice<Offer> {
  const byArch = RUNNABLE[machine.os ?? ''];
  const runnable = byArch?.[machine.arch ?? 'unknown'] ?? byArch?.unknown ?? [];
  const hasSameOs = ({ os }: Offer) => os === machine.os;
  const best =
    runnable.flatMap((arch) => offers.find((offer) => hasSameOs(offer) && offer.arch === arch) ?? [])[0] ?? null;
  const rest = offers.filter((offer) => offer !== best);
  const sameOs = rest.filter(hasSameOs);
  return {
    best,
    others: [...sameOs, ...rest.filter((offer) => !hasSameOs(offer))],
    isSure: best !== null && (sameOs.length === 0 || machine.arch !== null || best.arch === 'universal'),
  };
}

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
