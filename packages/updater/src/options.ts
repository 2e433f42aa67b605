// What callers of the updater pass, and what they get.
import type { Platform } from './platform.ts';
import type { RetryPolicy } from './retries.ts';
import { type GameAddress, GameServer, type Release } from './server.ts';

export type Phase = 'checking' | 'downloading' | 'building' | 'switching';
/** Bytes that are done, and in total, of the current phase. */
export type Progress = { readonly phase: Phase; readonly done: number; readonly total: number };

export type Options = {
  /** The folder of the game. */
  readonly folder: string;
  /** Sent to the server: the login of a player who may see more than others. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Pauses: what has arrived is used by the next call. The function rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
  /** Bytes per second; no limit by default. */
  readonly limitRate?: number;
  readonly onProgress?: (progress: Progress) => void;
  readonly fetch?: typeof fetch;
  readonly retries?: RetryPolicy;
  /** How long nothing may arrive before a connection is tried again; half a minute by default. */
  readonly stallMs?: number;
};

export type InstallOptions = Options & {
  readonly address: GameAddress;
  readonly channel?: string;
  /** Instead of what this computer is. */
  readonly platform?: Partial<Platform>;
};

export type Version = { readonly buildId: string; readonly version: string };

export type Result = {
  readonly game: string;
  readonly folder: string;
  /** Null if nothing was installed before. */
  readonly from: Version | null;
  readonly to: Version;
  readonly downloadedBytes: number;
  /** Bytes of the new version that were on disk already. */
  readonly reusedBytes: number;
  readonly seconds: number;
  /** Files that were left alone, because the player changed or added them. */
  readonly kept: readonly string[];
  /** Where `repair` moved the player's copies, and which; null if there were none. */
  readonly replaced: { readonly folder: string; readonly paths: readonly string[] } | null;
  /** What is new, the newest first. */
  readonly changelog: readonly Release[];
};

export function serverOf(server: string, { headers, fetch: own }: Options): GameServer {
  return new GameServer({
    server,
    ...(headers !== undefined && { headers }),
    ...(own !== undefined && { fetch: own }),
  });
}

export function versionOf({ buildId, version }: Version): Version {
  return { buildId, version };
}
