// Formats values for people. The website, the command and the server all use these, so a value looks the same
// everywhere.
import type { Os } from './identity.ts';
import { ownValue } from './own-value.ts';

const number = new Intl.NumberFormat('en');
const compactNumber = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const BYTE_UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;
const OS_NAMES: Readonly<Record<string, string>> = {
  windows: 'Windows',
  macos: 'macOS',
  linux: 'Linux',
  android: 'Android',
  ios: 'iOS',
  web: 'Browser',
} satisfies Record<Os, string>;

/** `12,345`. */
export function formatNumber(value: number): string {
  return number.format(value);
}

/** A count where there is little room: `950`, `9,999`, `12.3K`, `4.5M`. */
export function formatCompactNumber(value: number): string {
  return value < 10_000 ? number.format(value) : compactNumber.format(value);
}

/**
 * A share from 0 to 1 in percent, to one decimal. Only nothing is 0, and only all of it is 100: a crash on one of 10,000
 * devices is 0.1, and the others are 99.9.
 */
export function percentOf(share: number): number {
  if (share <= 0) return 0;
  return share >= 1 ? 100 : Math.min(99.9, Math.max(0.1, Math.round(share * 1000) / 10));
}

/** A share from 0 to 1: `93.8%`, `94%`. */
export function formatPercent(share: number): string {
  return `${percentOf(share)}%`;
}

/** `512 bytes`, `68.6 KiB`, `107 MiB`, `1.2 GiB`. */
export function formatBytes(bytes: number): string {
  let [size, unit] = [bytes, 0];
  while (size >= 1024 && unit < BYTE_UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  if (unit === 0) return size === 1 ? '1 byte' : `${number.format(size)} bytes`;
  return `${size.toFixed(size >= 100 ? 0 : 1)} ${BYTE_UNITS[unit]}`;
}

/** Seconds, rounded, in the two largest units: `45 s`, `2 min 5 s`, `3 h 20 min`. */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${whole % 60} s`;
  return `${number.format(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}

/** The duration of a video, as players show it: `1:05`. */
export function formatClock(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

/** Milliseconds; the shorter the time, the more precise: `850 ms`, `4.2 s`, `2 min 5 s`. */
export function formatMilliseconds(milliseconds: number): string {
  if (milliseconds < 1000) return `${number.format(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return formatDuration(milliseconds / 1000);
}

/** `Windows`; an operating system without a known name is shown as it is. */
export function formatOs(os: string): string {
  return ownValue(OS_NAMES, os) ?? os;
}

/**
 * `Windows x86_64`. A browser doesn't run on an architecture: what its client names is a guess, and only that of a
 * build, such as `wasm`, is shown. An empty part is left out.
 */
export function formatPlatform({ os, arch }: { readonly os: string; readonly arch: string }): string {
  const shown = os === 'web' && !arch.startsWith('wasm') ? '' : arch;
  return [formatOs(os), shown].filter((part) => part !== '').join(' ');
}
