// Counts, limits and reports what is downloaded and built.
import type { Changes } from './changes.ts';
import { download, type Part, type Source } from './download.ts';
import { getByFetch, getByHttp } from './get.ts';
import type { Options, Phase } from './options.ts';
import { PATIENT, type RetryPolicy } from './retries.ts';
import { Throttle } from './throttle.ts';
import { ZipSource } from './zip-source.ts';

const DEFAULT_STALL_MS = 30_000;

/** Counts and reports what is downloaded. */
export class Transfer {
  readonly retries: RetryPolicy;
  readonly #options: Options;
  readonly #throttle: Throttle;
  #planned = 0;
  #arrived = 0;
  #built = 0;
  #isFetching = false;
  downloadedBytes = 0;

  constructor(options: Options) {
    this.#options = options;
    this.retries = options.retries ?? PATIENT;
    this.#throttle = new Throttle(options.limitRate ?? Number.POSITIVE_INFINITY);
  }

  sourceOf(url: string, size: number): Source {
    const { headers = {}, fetch: own, stallMs = DEFAULT_STALL_MS } = this.#options;
    const onBytes = (count: number) => {
      this.#arrived += count;
      this.downloadedBytes += count;
      this.#report('downloading', this.#arrived, this.#planned);
    };
    const get = own === undefined ? getByHttp : getByFetch(own);
    return new ZipSource({ url, size, headers, get, throttle: this.#throttle, stallMs, onBytes });
  }

  async fetch(source: Source, size: number, parts: readonly Part[], signal: AbortSignal): Promise<void> {
    this.#isFetching = true;
    if (parts.length > 0) await download(source, parts, { size, signal, retries: this.retries });
    this.#isFetching = false;
  }

  plan(bytes: number): void {
    this.#planned += bytes;
    if (this.#planned > 0) this.#report('downloading', this.#arrived, this.#planned);
  }

  /** Bytes of new files that a patch made. */
  patched(bytes: number, total: number): void {
    this.#built += bytes;
    this.#report('building', this.#built, total);
  }

  /** What an earlier attempt downloaded counts as done. */
  resumed(bytes: number): void {
    this.#planned += bytes;
    this.#arrived += bytes;
  }

  count(bytes: number): void {
    this.downloadedBytes += bytes;
  }

  built(bytes: number, { plan, wanted }: Changes): void {
    this.#built += bytes;
    const total = plan.files.reduce((sum, { entry }) => {
      const file = wanted.entries[entry]!;
      return sum + (file.type === 'file' ? file.size : 0);
    }, 0);
    // Small files are complete when they arrive.
    if (!this.#isFetching) this.#report('building', this.#built, total);
  }

  #report(phase: Phase, done: number, total: number): void {
    this.#options.onProgress?.({ phase, done: Math.min(done, total), total });
  }
}
