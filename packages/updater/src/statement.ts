// Checks the signed statement of what a channel offers. Its serial grows with each change of the channel, so that nothing
// between the server and the player can offer an older version again, while a rollback by the developer works.
import { fetchKeys, type SignedRequest } from './fetch-signed.ts';
import type { GameServer, Offer, SignedStatement } from './server.ts';
import type { Install } from './state.ts';
import { followKeys, isSigned, parseSignature, untrusted } from './trust.ts';

export type CheckedOffer = {
  /** The state with the key that signed, and with the serial. */
  readonly current: Install;
  /** What the statement says of the offer, too. */
  readonly offer: Offer;
};

/**
 * Rejects with UpdaterError if the statement isn't about the offer, isn't signed by a trusted key, or is older than one that was
 * seen before. A server that makes no statements is trusted as long as it never made one.
 */
export async function checkStatement(
  current: Install,
  offer: Offer,
  server: GameServer,
  request: SignedRequest,
): Promise<CheckedOffer> {
  const seen = current.serials?.[current.channel] ?? null;
  if (offer.statement === undefined) {
    if (current.serials === undefined) return { current, offer };
    throw untrusted('The server no longer signs what the channel offers.');
  }
  const { bytes, signature: header } = offer.statement;
  const { keyId, signature } = parseSignature(header);
  const keys = current.key?.keyId === keyId ? [] : await fetchKeys(server.keysUrl(), request);
  const key = followKeys(keys, keyId, current.key);
  if (!isSigned('statement', bytes, signature, key))
    throw untrusted('What the channel offers is not what the server signed.');
  const stated = parse(offer.statement);
  const expected: Record<string, unknown> = {
    ...{ game: current.game.uid, channel: current.channel, os: current.os, arch: current.arch },
    ...{ build: offer.buildId, file: offer.fileUid, size: offer.size, zip: offer.checksum },
  };
  for (const [name, value] of Object.entries(expected))
    if (stated[name] !== value) throw untrusted(`The server signed another offer: its ${name} differs.`);
  const { serial, manifest } = stated;
  if (!Number.isSafeInteger(serial) || (serial as number) < 0 || !isDigest(manifest))
    throw untrusted('What the server signed makes no sense.');
  if (seen !== null && (serial as number) < seen)
    throw untrusted('The server offers a version that it has replaced already.');
  return {
    current: { ...current, key, serials: { ...current.serials, [current.channel]: serial as number } },
    offer: { ...offer, manifest },
  };
}

function isDigest(value: unknown): value is string | null {
  return value === null || (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value));
}

function parse({ bytes }: SignedStatement): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Refused below.
  }
  throw untrusted('What the server signed makes no sense.');
}
