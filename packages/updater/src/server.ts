// Asks the server which build to install, and for what is needed to trust its bytes.
import { type Client, createClient, ForeignAnswerError, isTransient, NetworkError } from '@chauffeur/contract/client';
import { isError } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import { getUpdate } from '@chauffeur/contract/operations/rollouts';
import { getPublicGame } from '@chauffeur/contract/operations/store';
import type { Arch, Os } from '@chauffeur/contract/platform-names';
import { UpdaterError } from './error.ts';
import type { Platform } from './platform.ts';
import { BRIEF, Retries, TransientError } from './retries.ts';

/** Where a game is, and as whom to ask for it. */
export type GameAddress = {
  /** The address of the server, without a `/` at its end. */
  readonly server: string;
  /** The uid or slug of the game. */
  readonly game: string;
};

export type ServerOptions = {
  readonly server: string;
  /** Sent to the server, but not to where it redirects: the login of a player who may see more. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
};

/** A build that the server offers for a channel and a platform. */
export type Offer = {
  readonly buildId: string;
  readonly version: string;
  readonly os: Os;
  readonly arch: Arch;
  readonly fileUid: string;
  /** Bytes of the zip. */
  readonly size: number;
  /** SHA-256 of the zip as hex digits. */
  readonly checksum: string;
  /** Bytes to download from the installed build, as far as the server knows them. */
  readonly sizes?: { readonly patch: number | null; readonly blocks: number | null };
  /** Missing in the answers of servers that make none, and for a first installation. */
  readonly statement?: SignedStatement;
  /** The SHA-256 of the manifest as hex digits, from a checked statement; null if the file has none. */
  readonly manifest?: string | null;
};

export type SignedStatement = {
  readonly bytes: Buffer;
  /** The id of the key, a space, and the signature in base64url. */
  readonly signature: string;
};

type Change = { readonly title: string; readonly description: string };
/** What is new in one version. */
export type Release = { readonly version: string; readonly title: string; readonly changes: readonly Change[] };

export type GameInfo = { readonly uid: string; readonly slug: string; readonly name: string };

/** What a game that is installed should run. */
export type UpdateAnswer = {
  /** Null if the channel offers nothing for this platform. */
  readonly offer: Offer | null;
  /** Whether to install it. */
  readonly isUpdate: boolean;
  /** Why the installed build should not be used any longer; null if it can. */
  readonly withdrawn: string | null;
  /** The newest first. */
  readonly changelog: readonly Release[];
};

/** What is installed, as the server is asked about it. */
export type Installed = {
  readonly gameUid: string;
  readonly buildId: string;
  readonly channel: string;
  readonly deviceUid: string;
  readonly os: Os;
  readonly arch: Arch;
};

export class GameServer {
  readonly #client: Client;
  readonly #options: ServerOptions;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#client = createClient({
      url: `${options.server}/api/v1`,
      ...(options.headers !== undefined && { headers: options.headers }),
      ...(options.fetch !== undefined && { fetch: options.fetch }),
    });
  }

  get options(): ServerOptions {
    return this.#options;
  }

  downloadUrl(gameUid: string, fileUid: string): string {
    return `${this.#options.server}/api/v1/public/games/${gameUid}/files/${fileUid}/download`;
  }

  manifestUrl(gameUid: string, fileUid: string): string {
    return `${this.#options.server}/api/v1/public/games/${gameUid}/files/${fileUid}/manifest`;
  }

  /** What changed in the manifest of a file since another one. */
  differenceUrl(gameUid: string, fileUid: string, fromFileUid: string): string {
    return `${this.#options.server}/api/v1/public/games/${gameUid}/files/${fileUid}/manifest-differences/${fromFileUid}`;
  }

  patchUrl(gameUid: string, fileUid: string, fromFileUid: string): string {
    return `${this.#options.server}/api/v1/public/games/${gameUid}/files/${fileUid}/patches/${fromFileUid}`;
  }

  keysUrl(): string {
    return `${this.#options.server}/.well-known/chauffeur-keys.json`;
  }

  /** The build that a channel offers for the first of `platforms` that it has. */
  async findOffer(
    game: string,
    channel: string,
    platforms: readonly Platform[],
    signal: AbortSignal | undefined,
  ): Promise<{ game: GameInfo; offer: Offer | null; release: Release | null; others: readonly Platform[] }> {
    const found = await persist(signal, () =>
      this.#client.call(getPublicGame, { uid: game, channel }, signalOf(signal)),
    );
    if (!Array.isArray(found?.downloads)) throw nonsense();
    const downloads = found.downloads.filter((download) => download?.channel === channel);
    const matching = platforms.flatMap((platform) =>
      downloads.filter(({ os, arch }) => os === platform.os && arch === platform.arch),
    );
    const [download] = matching;
    if (!UUID.test(found.game_uid)) throw nonsense();
    const info = { uid: found.game_uid, slug: clean(found.slug), name: clean(found.name) };
    const others = downloads.map(({ os, arch }) => ({ os, arch }));
    if (download === undefined) return { game: info, offer: null, release: null, others };
    return { game: info, offer: offerOf(download), release: releaseOf(download), others };
  }

  /** What an installed game should run. A server that can't say is asked what the channel offers. */
  async findUpdate(installed: Installed, signal: AbortSignal | undefined): Promise<UpdateAnswer> {
    const { gameUid: uid, buildId: build_id, deviceUid: device_uid, channel, os, arch } = installed;
    try {
      const query = { uid, build_id, device_uid, channel, os, arch };
      const answer = await persist(signal, () => this.#client.call(getUpdate, query, signalOf(signal)));
      return updateOf(answer, installed);
    } catch (error) {
      // After a restore from a backup, a server doesn't know its newest builds. It still says what it offers.
      if (isError(error, 'unknownBuild')) return this.#findOffered(installed, signal);
      if (!isError(error, 'notFound')) throw error;
    }
    const { offer, release } = await this.findOffer(uid, channel, [{ os, arch }], signal);
    const isUpdate = offer !== null && offer.buildId !== build_id;
    return { offer, isUpdate, withdrawn: null, changelog: isUpdate && release !== null ? [release] : [] };
  }

  /** The signed offer for a device that has no build yet; null from a server that makes none. */
  async findSignedOffer(device: Omit<Installed, 'buildId'>, signal: AbortSignal | undefined): Promise<Offer | null> {
    try {
      const { offer } = await this.#findOffered({ ...device, buildId: '' }, signal);
      return offer?.statement === undefined ? null : offer;
    } catch (error) {
      if (isError(error, 'notFound', 'invalid')) return null;
      throw error;
    }
  }

  /** Does what `findUpdate` does, with a server that doesn't know the installed build. */
  async #findOffered(installed: Installed, signal: AbortSignal | undefined): Promise<UpdateAnswer> {
    const { gameUid: uid, buildId, deviceUid: device_uid, channel, os, arch } = installed;
    const query = { uid, device_uid, channel, os, arch };
    const answer = updateOf(
      await persist(signal, () => this.#client.call(getUpdate, query, signalOf(signal))),
      installed,
    );
    return { ...answer, isUpdate: answer.offer !== null && answer.offer.buildId !== buildId };
  }
}

/**
 * Tries a call a few times, if it fails for a reason that may pass. Throws UpdaterError if there was no answer of the
 * server.
 */
async function persist<T>(signal: AbortSignal | undefined, call: () => Promise<T>): Promise<T> {
  const retries = new Retries(BRIEF);
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isTransient(error)) throw forPlayers(error);
      const transient = new TransientError((error as Error).message, { cause: error });
      await retries.waitAfter(transient, signal ?? new AbortController().signal).catch((last: unknown) => {
        throw last === transient ? forPlayers(error) : last;
      });
    }
  }
}

/** What a player can do if there was no answer of the server; other errors stay as they are. */
function forPlayers(error: unknown): unknown {
  if (!(error instanceof NetworkError)) return error;
  const remedy =
    error instanceof ForeignAnswerError
      ? error.remedy
      : 'Check the network connection and the address of the game, then try again.';
  return new UpdaterError('network', error.message, remedy, { cause: error });
}

function signalOf(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

function offerOf(download: OutputOf<typeof getPublicGame>['downloads'][number]): Offer {
  const { build_id: buildId, version, os, arch, file } = download;
  const { file_uid: fileUid, size, checksum } = file ?? {};
  return checkedOffer({ buildId, version: clean(version), os, arch, fileUid, size, checksum });
}

/** The offer is for the platform that was asked for: a manifest for another one is then refused. */
function updateOf(
  { withdrawn, update, offered, changelog }: OutputOf<typeof getUpdate>,
  { os, arch }: Platform,
): UpdateAnswer {
  const offer =
    offered == null
      ? null
      : checkedOffer({
          buildId: offered.build_id,
          version: clean(offered.version),
          os,
          arch,
          fileUid: offered.file_uid,
          size: offered.size,
          checksum: offered.checksum,
          ...sizesOf(offered),
          ...statementOf(offered),
        });
  const releases = Array.isArray(changelog) ? changelog.map(releaseOf) : [];
  const reason = withdrawn == null ? null : clean(withdrawn.reason);
  return { offer, isUpdate: update === true && offer !== null, withdrawn: reason, changelog: releases };
}

/** Servers before patches don't know them. */
function sizesOf({ sizes }: { sizes?: { patch: unknown; blocks: unknown } }): Pick<Offer, 'sizes'> {
  const sizeOf = (value: unknown) => (Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : null);
  return sizes == null ? {} : { sizes: { patch: sizeOf(sizes.patch), blocks: sizeOf(sizes.blocks) } };
}

function statementOf(offered: { statement?: unknown; signature?: unknown }): Pick<Offer, 'statement'> {
  const { statement, signature } = offered;
  if (typeof statement !== 'string' || typeof signature !== 'string') return {};
  return { statement: { bytes: Buffer.from(statement, 'base64url'), signature } };
}

type ReleaseAnswer = {
  readonly version: string;
  readonly title: string;
  readonly changelog_items: readonly { readonly title: string; readonly description: string }[];
};

function releaseOf({ version, title, changelog_items: items }: ReleaseAnswer): Release {
  const changes = Array.isArray(items) ? items : [];
  return {
    version: clean(version),
    title: clean(title),
    changes: changes.map((change) => ({ title: clean(change?.title), description: clean(change?.description) })),
  };
}

const MAX_TEXT = 5000;

/** A text as it can be printed in a terminal, whatever the server sends. */
function clean(text: unknown): string {
  return String(text ?? '')
    .slice(0, MAX_TEXT)
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ');
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const SHA256 = /^[0-9a-f]{64}$/;

/** Ids become parts of addresses and file names, so that an answer with others is refused. */
function checkedOffer(offer: Offer): Offer {
  const { buildId, fileUid, size, checksum } = offer;
  const isValid =
    UUID.test(buildId) && UUID.test(fileUid) && SHA256.test(checksum) && Number.isSafeInteger(size) && size >= 0;
  if (isValid) return offer;
  throw nonsense();
}

function nonsense(): UpdaterError {
  return new UpdaterError(
    'untrusted',
    'The server described the download in a way that makes no sense.',
    'Check the address of the game, and any proxy.',
  );
}
