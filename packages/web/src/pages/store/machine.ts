// Which of the downloads is right for the machine that looks at the page.

/** What a browser tells of the machine. Hints (W3C User-Agent Client Hints) are Chromium's alone. */
export type BrowserFacts = {
  readonly userAgent: string;
  readonly touchPoints: number;
  readonly hints?: { readonly platform?: string; readonly architecture?: string; readonly bitness?: string };
};

export type Machine = { readonly os: string | null; readonly arch: string | null };

/** In order: an Android phone says Linux, too. */
const SYSTEMS: readonly { os: string | null; pattern: RegExp }[] = [
  // Its zip could not be started there.
  { os: null, pattern: /CrOS|Chrome OS/ },
  { os: 'android', pattern: /Android/ },
  { os: 'ios', pattern: /iPhone|iPad|iPod|\biOS\b/ },
  { os: 'windows', pattern: /Windows/ },
  { os: 'macos', pattern: /Macintosh|macOS/ },
  { os: 'linux', pattern: /Linux|X11/ },
];

/** Null where it is not told: Safari and Firefox call every Mac an Intel one, and every Windows an x64. */
export function readMachine({ userAgent, touchPoints, hints = {} }: BrowserFacts): Machine {
  const said = hints.platform || userAgent;
  const found = SYSTEMS.find(({ pattern }) => pattern.test(said))?.os ?? null;
  // An iPad says that it is a Mac; no Mac has a touch screen.
  const os = found === 'macos' && touchPoints > 1 ? 'ios' : found;
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

/** What each system runs, the best first; `untold` where the processor is not known. Apple silicon runs Intel's code, and so does Windows on ARM. */
const RUNS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  windows: {
    x86_64: ['x86_64', 'universal', 'x86'],
    x86: ['x86', 'universal'],
    arm64: ['arm64', 'universal', 'x86_64', 'x86', 'arm'],
    untold: ['x86_64', 'universal', 'x86', 'arm64'],
  },
  macos: {
    x86_64: ['x86_64', 'universal'],
    arm64: ['arm64', 'universal', 'x86_64'],
    untold: ['universal', 'arm64', 'x86_64'],
  },
  linux: {
    x86_64: ['x86_64', 'universal', 'x86'],
    x86: ['x86', 'universal'],
    arm64: ['arm64', 'universal', 'arm', 'arm32'],
    arm: ['arm', 'arm32', 'universal'],
    untold: ['x86_64', 'universal', 'x86', 'arm64'],
  },
  android: { untold: ['universal', 'arm64', 'arm', 'arm32', 'x86_64', 'x86'] },
  ios: { untold: ['universal', 'arm64', 'arm'] },
};

type Platform = { readonly os: string; readonly arch: string };
export type Choice<Offer> = {
  readonly best: Offer | null;
  readonly others: readonly Offer[];
  /** False when another download for this system may be the right one. */
  readonly isSure: boolean;
};

/** The download for this machine, and the others: those for its system first. */
export function chooseDownload<Offer extends Platform>(offers: readonly Offer[], machine: Machine): Choice<Offer> {
  const ofSystem = RUNS[machine.os ?? ''];
  const runs = ofSystem?.[machine.arch ?? 'untold'] ?? ofSystem?.untold ?? [];
  const isOfSystem = ({ os }: Offer) => os === machine.os;
  const best =
    runs.flatMap((arch) => offers.find((offer) => isOfSystem(offer) && offer.arch === arch) ?? [])[0] ?? null;
  const rest = offers.filter((offer) => offer !== best);
  const near = rest.filter(isOfSystem);
  return {
    best,
    others: [...near, ...rest.filter((offer) => !isOfSystem(offer))],
    isSure: best !== null && (near.length === 0 || machine.arch !== null || best.arch === 'universal'),
  };
}
